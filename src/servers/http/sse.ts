/** Server-sent events (HTML standard, 9.2). */
export const SSE_TYPE = 'text/event-stream';
/** A comment: proxies and clients close what is silent. */
export const SSE_KEEP_ALIVE = Buffer.from(': keep-alive\n\n');
