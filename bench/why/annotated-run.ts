import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A failed run of several agents, and the step that people called the decisive mistake. */
export interface AnnotatedRun {
  readonly id: string;
  /** `AG`: made by an algorithm; `HC`: by hand. */
  readonly part: string;
  /** What is failed: the root alone, or a test below it. */
  readonly variant: string;
  readonly taskId: string;
  /** How many messages. */
  readonly steps: number;
  /** An ExportTraceServiceRequest. */
  readonly otlp: object;
  readonly expected: {
    readonly agent: string;
    /** All spans of that step. */
    readonly spanIds: readonly string[];
  };
}

const FILES = ['ag-root', 'ag-eval', 'hc-root', 'hc-eval'];

/** By file, of those that are there. */
export function annotatedRuns(folder: string): ReadonlyMap<string, readonly AnnotatedRun[]> {
  const found = new Map<string, readonly AnnotatedRun[]>();
  for (const name of FILES) {
    const file = join(folder, `${name}.jsonl`);
    if (!existsSync(file)) continue;
    const lines = readFileSync(file, 'utf8').split('\n');
    found.set(
      name,
      lines.filter((line) => line !== '').map((line) => JSON.parse(line) as AnnotatedRun),
    );
  }
  return found;
}
