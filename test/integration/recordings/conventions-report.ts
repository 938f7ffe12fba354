import { basename } from 'node:path';
import { anyOf, type Expectation } from './expectation.ts';
import { checkCalls, isReported } from './check-calls.ts';
import { checkEdges, checkMerges } from './check-structure.ts';
import { checkSums, sum } from './check-sums.ts';
import { checkErrors, checkTools } from './check-tools.ts';
import { decodeRecording } from './decode-recording.ts';
import { compare, countCells, unwanted, type Cell, type Finding, type Findings } from './finding.ts';
import { startLiveService } from './live-service.ts';
import type { Recording } from './load-recordings.ts';
import { showRecording, type ShownRecording } from './shown-recording.ts';
import { isBornOut } from './text-mark.ts';

export interface ReportedRecording {
  readonly recording: string;
  readonly row: { readonly [column: string]: string | number };
  /** Empty when all that the recording contains is shown, and nothing else. */
  readonly mismatches: readonly string[];
}

const CELLS: readonly Cell[] = [
  'agent',
  'model',
  'tokens',
  'cost',
  'prompt',
  'completion',
  'reasoning',
  'details',
  'tools',
  'errors',
  'merges',
  'edges',
  'tasks',
  'agents',
];

/** Sends a recording to a service of its own and compares what it shows with what the recording contains. */
export async function reportRecording(
  recording: Recording,
  expectation: Expectation | undefined,
): Promise<ReportedRecording> {
  if (expectation === undefined)
    return {
      recording: recording.name,
      row: { recording: basename(recording.name) },
      mismatches: ['test/expectations has no file for it'],
    };
  const service = await startLiveService();
  try {
    const shown = await showRecording(recording, service);
    const findings = [...findingsOf(expectation, shown), ...checkMarks(expectation, recording)];
    return {
      recording: recording.name,
      row: { recording: expectation.recording, ...rowOf(expectation, shown, findings) },
      mismatches: findings.filter(({ isRight }) => !isRight).map(inWords),
    };
  } finally {
    await service.stop();
  }
}

function findingsOf(expectation: Expectation, shown: ShownRecording): Findings {
  return [
    ...checkMerges(expectation, shown),
    ...checkCalls(expectation, shown),
    ...checkTools(expectation, shown),
    ...checkErrors(expectation, shown),
    ...checkEdges(expectation, shown),
    ...checkSums(expectation, shown),
  ];
}

/** The expectation itself must fit the raw file: its number of spans, and the places that its marks name. */
function checkMarks(expectation: Expectation, { requests, spanIds }: Recording): Findings {
  const spans = new Map(decodeRecording(requests).spans.map((span) => [span.spanId, span.attributes]));
  const wrong = Object.entries(expectation.calls).flatMap(([spanId, { prompt, completion }]) =>
    [prompt, completion]
      .flatMap((text) => (text === null ? [] : anyOf(text)))
      .filter((text) => typeof text === 'string')
      .filter((text) => !isBornOut(text, spans.get(spanId) ?? new Map()))
      .map((text) => compare('details', spanId, 'mark in the raw file', text, 'another text')),
  );
  if (spanIds.length === expectation.spans) return wrong;
  return [...wrong, unwanted('details', 'all', 'spans in the raw file', String(spanIds.length))];
}

function rowOf({ calls: told, tasks }: Expectation, { graph, spans }: ShownRecording, findings: Findings) {
  const calls = graph.nodes.filter(({ type }) => type === 'LLM_CALL');
  const cells = countCells(findings);
  return {
    spans: spans.length,
    nodes: graph.nodes.length,
    'LLM calls': `${calls.length}/${Object.keys(told).length}`,
    ...Object.fromEntries(CELLS.map((cell) => [cell, cells.get(cell) ?? '-'])),
    'tokens in': shareOf(
      sum(graph.nodes, 'tokensIn'),
      tasks.map(({ tokensIn }) => tokensIn),
    ),
    'tokens out': shareOf(
      sum(graph.nodes, 'tokensOut'),
      tasks.map(({ tokensOut }) => tokensOut),
    ),
    'cost $': shareOf(
      sum(graph.nodes.filter(isReported), 'costUsd'),
      tasks.map(({ costUsd }) => costUsd),
    ),
    estimated: calls.filter(({ details }) => details?.['costSource'] === 'estimated').length,
  };
}

/** What is shown of the sum over all tasks. */
function shareOf(found: number | undefined, tasks: readonly (number | null)[]): string {
  const figures = tasks.filter((figure) => figure !== null);
  if (figures.length === 0) return found === undefined ? '-' : `${rounded(found)}/0`;
  return `${rounded(found ?? 0)}/${rounded(figures.reduce((total, figure) => total + figure, 0))}`;
}

function rounded(figure: number): number {
  return Number(figure.toPrecision(6));
}

/** One line, whatever is in the text that was found. */
function inWords({ cell, of, field, expected, found }: Finding): string {
  const line = `${cell} of ${of}${field === '' ? '' : `, ${field}`}: expected ${expected}, found ${found}`;
  return line.replaceAll(/\s+/g, ' ');
}
