import type { GraphReader } from '../graph/graph-reader.ts';

/** The earliest and the latest start in a task, ISO 8601. Looked for anew only when one of them went. */
export class StartSpan {
  private first = '';
  private last = '';
  private known = false;

  came(timestamp: string): void {
    if (!this.known) return;
    if (timestamp < this.first) this.first = timestamp;
    if (timestamp > this.last) this.last = timestamp;
  }

  went(timestamp: string): void {
    if (timestamp === this.first || timestamp === this.last) this.known = false;
  }

  span(
    ids: Iterable<string>,
    graph: GraphReader,
  ): { readonly firstTimestamp: string; readonly lastTimestamp: string } {
    if (!this.known) {
      this.first = '\uffff';
      this.last = '';
      this.known = true;
      for (const id of ids) this.came(graph.node(id)?.timestamp ?? this.first);
    }
    return { firstTimestamp: this.first, lastTimestamp: this.last };
  }
}
