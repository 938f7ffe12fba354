import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What happened in one recorded run; `about` in the file says what each field asks. */
export interface ExpectedRun {
  readonly files: readonly string[];
  readonly llmCalls: readonly ExpectedCall[];
  readonly failedCalls?: readonly { readonly error: string }[];
  readonly tools: readonly ExpectedTool[];
  readonly handoff?: { readonly id: string; readonly name: string };
  readonly edges: readonly ExpectedEdge[];
  readonly paths: readonly (ExpectedEdge & { readonly atMost: number })[];
  readonly wrongEdges?: readonly ExpectedEdge[];
  readonly rootsAtMost: number;
  readonly totals: { readonly tokensIn: number; readonly tokensOut: number; readonly costUsd?: number };
  readonly task?: { readonly id: string };
  readonly why?: { readonly of: string; readonly cause: string; readonly withinFirst: number };
  /** Names of facts that happened and cannot be known from the recording. */
  readonly notInRecording: readonly string[];
}

export interface ExpectedCall {
  readonly id: string;
  readonly model: string;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly costUsd?: number;
  readonly minLatencyMs?: number;
  readonly agent?: string;
  readonly reasoning?: string;
  readonly prompt?: string;
  readonly answer?: readonly string[];
}

export interface ExpectedTool {
  readonly id: string;
  readonly name: string;
  readonly arguments?: string;
  readonly status?: string;
  readonly error?: string;
  readonly agent?: string;
}

export interface ExpectedEdge {
  readonly from: string;
  readonly to: string;
}

/** @throws ENOENT where there is no `expected.json` in the folder */
export async function loadExpectedRuns(folder: string): Promise<ReadonlyMap<string, ExpectedRun>> {
  const { runs } = JSON.parse(await readFile(join(folder, 'expected.json'), 'utf8')) as {
    readonly runs: { readonly [name: string]: ExpectedRun };
  };
  return new Map(Object.entries(runs));
}
