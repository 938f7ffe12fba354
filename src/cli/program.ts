/** How the program is called from where it runs: the sources have no command on the path. */
export const PROGRAM = import.meta.url.endsWith('.ts') ? 'npm run -s cli --' : 'explainability-agent';
