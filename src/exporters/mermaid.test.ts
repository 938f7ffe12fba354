import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../test/support/property-runs.ts';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../model/node.ts';
import { toMermaid } from './mermaid.ts';

const BOX = /^ {2}n\d+\["([\p{L}\p{N} .,()/_=+#;-]*)<br>([\p{L}\p{N} .,()/_=+#;-]*)"\](?::::\w+)?$/u;

test('[UI14] whatever agents and titles are, Mermaid reads them as texts', () => {
  const piece = fc.constantFrom(
    '"',
    '[',
    ']',
    '$$',
    '\\n',
    '\n',
    '\r\n',
    'fa:fa-ban',
    '%%{',
    'end',
    '#35;',
    '<b>',
    ':',
    'x',
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(text, text, (agent, title) => {
      const [, , , box = ''] = mermaid(node('a', `.${agent}`, `.${title}`)).split('\n');
      const texts = BOX.exec(box);
      assert.ok(texts, box);
      for (const [shown = '', given] of [
        [texts[1], agent],
        [texts[2], title],
      ] as const) {
        const read = shown.replace(/#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
        assert.doesNotMatch(read, /\$\$|\\n|:fa-/, 'read as a formula, a break or an icon');
        assert.doesNotMatch(read, /[\p{Cc}\p{Cs}]/u);
        if (given.length < 50) assert.equal(plain(read), plain(`.${given}`));
      }
    }),
    propertyRuns(),
  );
});

test('[UI14] what Mermaid does not draw with its own settings says which to raise', () => {
  const few = graphOf(node('a', 'agent', 'first'), node('b', 'agent', 'second'));
  const edges = Array.from({ length: 501 }, (_, index) => edge(`e${index}`, 'a', 'b'));
  assert.doesNotMatch([...toMermaid(few)].join(''), /%%/);
  assert.match([...toMermaid({ ...few, edges })].join(''), /\n%% .*maxEdges \(501\)\n$/);
  const many = Array.from({ length: 2_000 }, (_, index) =>
    node(`${index}`, 'agent', 'a title that is long enough'),
  );
  assert.match(mermaid(...many), /\n%% .*maxTextSize \(\d+\)\n$/);
});

/** Without what nobody sees. */
function plain(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\u200b', '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

function mermaid(...nodes: readonly ExplanationNode[]): string {
  return [...toMermaid(graphOf(...nodes))].join('');
}

function graphOf(...nodes: readonly ExplanationNode[]): ExplanationGraph {
  return { nodes, edges: [], lastUpdated: '2026-03-01T10:00:00Z' };
}

function edge(id: string, from: string, to: string): ExplanationEdge {
  return { id, from, to, relation: 'TRIGGERED', evidence: 'content' };
}

function node(id: string, agent: string, title: string): ExplanationNode {
  return {
    id,
    timestamp: '2026-03-01T10:00:00Z',
    agent,
    type: 'TOOL_CALL',
    name: title,
    title,
    taskId: 'task',
    state: 'ENDED',
    status: 'OK',
  };
}
