import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { NodeStatus, NodeType } from '../../../src/model/node.ts';

/**
 * What a recording holds, read from the raw file by eye: test/expectations/README.md says how. `null`: the
 * recording does not contain it. A key that is left out: the data does not decide it, and a note says why.
 */
export interface Expectation {
  /** File name. */
  readonly recording: string;
  readonly about: string;
  readonly spans: number;
  readonly notes: readonly string[];
  /** Span ids, in hex, of records of one step: each group must be one node. The first is the outermost. */
  readonly merges: readonly Group[];
  /** Groups that may be one node. */
  readonly mayMerge: readonly Group[];
  readonly modelSwitches: number;
  /** LLM calls by span id; of a group, by the first id of it. */
  readonly calls: { readonly [spanId: string]: ExpectedCall };
  readonly tools: { readonly [spanId: string]: ExpectedTool };
  /** Steps made of other steps that carry usage. */
  readonly containers: { readonly [spanId: string]: ExpectedContainer };
  /** The beginning of the error message of each span that failed. */
  readonly errors: { readonly [spanId: string]: string };
  readonly tasks: readonly ExpectedTask[];
  /** Sums of the agents whose calls have usage. */
  readonly agents: readonly ExpectedAgent[];
  readonly edges: readonly ExpectedEdge[];
}

interface Group {
  readonly spans: readonly string[];
  readonly because: string;
}

/** A list: each of its values is right. */
export type OneOf<T> = T | readonly T[];

/**
 * The beginning of a text; or `sha256:… of PLACE`, a mark of it (text-mark.ts) and where in the raw span it is;
 * or, where the model gave nothing but tool calls, their names.
 */
export type ExpectedText = string | { readonly calls: readonly string[] };

export interface ExpectedCall {
  readonly agent: OneOf<string>;
  readonly model: OneOf<string> | null;
  /** The requested model, if it is another word than the responding one. */
  readonly requestModel: string | null;
  /** With what was read from and written to the cache. */
  readonly tokensIn: number | null;
  /** With reasoning tokens. */
  readonly tokensOut: number | null;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
  readonly reasoningTokens: number | null;
  /** As the sender reported it, in US dollars. */
  readonly costUsd: number | null;
  /** The last message of a user or tool. */
  readonly prompt: OneOf<ExpectedText> | null;
  readonly completion: OneOf<ExpectedText> | null;
  /** Length of the reasoning text without the white space around it, in UTF-16 code units. */
  readonly reasoningChars: number | null;
  readonly finish?: string | null;
  /** Ids of the tool calls that the model asked for. */
  readonly asks?: readonly string[];
  /** Ids of the tool calls whose results came after the model's last answer. */
  readonly answers?: readonly string[];
  readonly status: NodeStatus;
  readonly note?: string;
}

export interface ExpectedTool {
  readonly name: string;
  readonly callId: string | null;
  readonly arguments?: boolean;
  readonly result?: boolean;
  readonly type: OneOf<NodeType>;
  readonly status: NodeStatus;
  readonly note?: string;
}

interface ExpectedContainer {
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** True when calls below it have usage: then its own is theirs once more, and must not be counted. */
  readonly usageBelow: boolean;
}

export interface ExpectedTask {
  readonly id: string;
  readonly traces: readonly string[];
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  /** Reported cost. */
  readonly costUsd: number | null;
}

interface ExpectedAgent {
  readonly agent: OneOf<string>;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
}

/** What ids in the data prove beyond the parents, which are read from the spans themselves. */
interface ExpectedEdge {
  readonly from: string;
  readonly to: string;
  readonly by: 'toolCallId';
  /** The id is on both ends, and the tool's own span lacks it: a way over one node is right too. */
  readonly indirect?: true;
}

const FOLDER = join(import.meta.dirname, '../../expectations');

/** All expectations by the file name of their recording. */
export async function loadExpectations(): Promise<ReadonlyMap<string, Expectation>> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.json'));
  const texts = await Promise.all(files.map((file) => readFile(join(FOLDER, file), 'utf8')));
  const read = texts.map((text) => JSON.parse(text) as Expectation);
  return new Map(read.map((expectation) => [expectation.recording, expectation]));
}

export function expectationOf(
  expectations: ReadonlyMap<string, Expectation>,
  recording: string,
): Expectation | undefined {
  return expectations.get(basename(recording));
}

/** The alternatives, as a list. */
export function anyOf<T extends string | object>(expected: OneOf<T>): readonly T[] {
  return Array.isArray(expected) ? (expected as readonly T[]) : [expected as T];
}
