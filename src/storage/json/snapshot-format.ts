/**
 * The snapshot file: one JSON object for other programs to read,
 * `{ "format": 1, "nodes": […], "edges": […], "lastUpdated": "…", "facts": […], "texts": […] }`,
 * laid out with one item a line, so that it can be read back line by line whatever its size. Facts and texts
 * stand newest first, so that what does not fit any more is the oldest.
 */
export const SNAPSHOT_FILE = 'explain_graph.json';

/** Raised when the file changes in a way that an older version cannot read. */
export const SNAPSHOT_FORMAT = 1;

/** The layout's own lines. */
export const HEAD = `{"format":${SNAPSHOT_FORMAT},\n`;
export const HEAD_LINE = /^\{"format":(\d+),$/;
export const TAIL_LINE = ']}';

export function listHead(name: string): string {
  return `"${name}":[\n`;
}

export const LIST_END = '\n],\n';
export const LAST_LIST_END = `\n${TAIL_LINE}\n`;
