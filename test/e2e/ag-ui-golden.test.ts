import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import type { ExplanationGraph, ExplanationNode } from '../../src/model/node.ts';
import type { NodeDetail } from '../../src/model/reader-messages.ts';
import { keptEventsOf } from '../../src/model/ag-ui-events.ts';
import { RealService } from './real-service.ts';

const FOLDER = new URL('../fixtures/ag-ui/', import.meta.url);
/** Set to write the expected files anew; each change of them is to be read. */
const WRITES = process.env['WRITE_GOLDEN'] === '1';

/** Who sends these event by event says less: which run is meant, or how much came of a text that goes on. */
const AMBIGUOUS = new Set(['interleaved.ndjson', 'out-of-order.ndjson', 'never-ends.sse']);
const WORDS = ['outcome', 'reason', 'errorMessage', 'parentRunId', 'toolCallId'] as const;

/** A graph for people to read: ids are numbers in the order of the nodes. */
async function told(service: RealService, { nodes, edges }: ExplanationGraph): Promise<string> {
  const sorted = nodes.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const numbers = new Map(sorted.map(({ id }, i) => [id, i + 1]));
  const lines: string[] = [];
  for (const node of sorted) {
    const detail = (await service.json(`/api/nodes/${encodeURIComponent(node.id)}`)) as NodeDetail;
    const words = WORDS.flatMap((key) =>
      node.details?.[key] === undefined ? [] : [`${key}=${node.details[key] as string}`],
    );
    const figures = [node.model, node.tokensIn, node.tokensOut].filter((figure) => figure !== undefined);
    lines.push(
      [
        `${numbers.get(node.id)}. ${node.type} ${node.status} ${node.state} [${node.agent}] ${node.name} (${node.taskId})`,
        `   title: ${node.title}`,
        ...[...words, ...figures].map((word) => `   ${word}`),
        ...Object.entries(detail.texts ?? {}).map(([field, text]) => `   ${field}: ${JSON.stringify(text)}`),
        ...keptEventsOf(detail).map(({ event, text, encrypted }) =>
          ['   >', event.type, text && `${text.field} ${text.chars}`, encrypted && 'encrypted']
            .filter(Boolean)
            .join(' '),
        ),
      ].join('\n'),
    );
  }
  const drawn = edges.map(
    ({ from, to, relation, evidence }) =>
      [numbers.get(from) ?? 0, numbers.get(to) ?? 0, `${relation} ${evidence}`] as const,
  );
  drawn.sort((a, b) => a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : 1));
  return `${lines.join('\n')}\n\n${drawn.map(([from, to, why]) => `${from} -> ${to} ${why}`).join('\n')}\n`;
}

function keyOf({ timestamp, type, name, title, taskId }: ExplanationNode): string {
  return [timestamp, taskId, type, name, title].join(' ');
}

for (const name of readdirSync(FOLDER).filter((file) => !file.endsWith('.txt')))
  test(`[AG2] conformance 5: ${name} gives the graph that it should, at once and event by event`, async (t) => {
    const body = readFileSync(new URL(name, FOLDER));
    const found = await graphOf(t, [body]);
    const golden = new URL(`${name}.txt`, FOLDER);
    if (WRITES) writeFileSync(golden, found);
    assert.equal(found, readFileSync(golden, 'utf8'));
    if (AMBIGUOUS.has(name)) return;
    assert.equal(await graphOf(t, eventsIn(body.toString('utf8'))), found);
  });

/** The graph that a service makes of bodies. */
async function graphOf(t: TestContext, bodies: readonly (string | Buffer)[]): Promise<string> {
  const service = await RealService.of(t);
  for (const body of bodies) {
    const answer = await fetch(`${service.readers}/ag-ui/events`, {
      method: 'POST',
      headers: { 'content-type': 'text/event-stream' },
      body,
    });
    const { rejected } = (await answer.json()) as { readonly rejected: number };
    assert.deepEqual([answer.status, rejected], [202, 0]);
  }
  return told(service, await service.graph());
}

function eventsIn(text: string): readonly string[] {
  if (text.startsWith('['))
    return (JSON.parse(text) as readonly unknown[]).map((event) => JSON.stringify(event));
  return text.split(/\r?\n/).flatMap((line) => {
    const event = line.replace(/^data: /, '');
    return event === '' ? [] : [event];
  });
}
