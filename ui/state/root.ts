const here = import.meta.url;

/** Where the service's paths begin: scripts lie in `assets/`, whatever path the page has. Ends with a slash. */
export const ROOT = new URL('..', here);

/** What the router takes off every path. */
export const BASE = ROOT.pathname.replace(/\/$/, '');
