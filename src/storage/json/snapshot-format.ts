/**
 * The snapshot file: one JSON object for other programs to read,
 * `{ "format": 2, "nodes": […], "edges": […], "lastUpdated": "…" }`, laid out with one item a line.
 */
export const SNAPSHOT_FILE = 'explain_graph.json';

export const SNAPSHOT_FORMAT = 2;
/** Until the log held them, the records stood in the snapshot as well, as `facts` and `texts`, newest first. */
export const FORMAT_WITH_RECORDS = 1;

/** The layout's own lines. */
export const HEAD = `{"format":${SNAPSHOT_FORMAT},\n`;
export const HEAD_LINE = /^\{"format":(\d+),$/;
/** Of a snapshot with records. */
export const TAIL_LINE = ']}';

export function listHead(name: string): string {
  return `"${name}":[\n`;
}

export const LIST_END = '\n],\n';
