import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../test/support/property-runs.ts';
import type { ExplanationNode } from '../model/node.ts';
import { branchOf, newEntry, newTask, type Branch, type Entry } from './entry.ts';
import { MatchCounter } from './match-counter.ts';

const node = (n: number, status: ExplanationNode['status'] = 'OK'): ExplanationNode => ({
  id: `${n}`,
  timestamp: '2026-01-01T00:00:00.000Z',
  agent: 'CoderAgent',
  type: 'OTHER',
  name: 'step',
  title: 'step',
  taskId: 't',
  state: 'ENDED',
  status,
});

test('[EL9] in a task that is one long chain what passes a filter is counted step by step once, not once for each', () => {
  const task = newTask('t');
  let looks = 0;
  const chain: Entry[] = [];
  const longer = (by: number): void => {
    for (let n = 0; n < by; n++) {
      const parent = chain.at(-1);
      const entry = newEntry(node(chain.length), task);
      Object.defineProperty(entry, 'parent', { get: () => (looks++, parent) });
      chain.push(entry);
    }
  };
  longer(2_000);
  const counter = new MatchCounter(() => true, chain);
  assert.equal(counter.countFrom(task), 2_000);
  longer(500);
  for (const entry of chain.slice(2_000)) counter.content(entry, true);
  assert.equal(counter.countFrom(task), 2_500);
  assert.equal(counter.countBelow(chain[1_000] ?? task), 1_499);
  assert.ok(looks < 5 * 2_500, `${looks} looks at what is above a step`);
});

test('[SU3] however steps change, move and go between two questions, as many pass as there are', () => {
  const passes = ({ status }: ExplanationNode): boolean => status === 'ERROR';
  const step = fc.record({
    at: fc.nat(19),
    under: fc.nat(19),
    to: fc.constantFrom('fail', 'pass', 'move', 'ask', 'go'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const task = newTask('t');
      const entries = Array.from({ length: 20 }, (_, n) =>
        newEntry(node(n, n % 3 === 0 ? 'ERROR' : 'OK'), task),
      );
      const there = new Set(entries);
      const counter = new MatchCounter(passes, entries);
      const isBelow = (entry: Entry, above: Branch): boolean => {
        for (let at: Entry | undefined = entry; at; at = at.parent) if (at === above) return true;
        return above === task;
      };
      const check = (): void => {
        for (const above of [task, ...there])
          assert.equal(
            counter.countFrom(above),
            [...there].filter((entry) => passes(entry.node) && isBelow(entry, above)).length,
          );
      };
      const hang = (entry: Entry, parent: Entry | undefined): void => {
        const before = branchOf(entry);
        entry.parent = parent;
        counter.moved(entry, before, branchOf(entry));
      };
      for (const { at, under, to } of steps) {
        const [entry, parent] = [entries[at], entries[under]];
        if (!entry || !parent || !there.has(entry)) continue;
        if (to === 'ask') check();
        else if (to === 'move')
          hang(entry, there.has(parent) && !isBelow(parent, entry) ? parent : undefined);
        else if (to === 'go') {
          for (const other of there) if (other.parent === entry) hang(other, undefined);
          hang(entry, undefined);
          counter.content(entry, false);
          there.delete(entry);
        } else {
          entry.node = node(at, to === 'fail' ? 'ERROR' : 'OK');
          counter.content(entry, true);
        }
      }
      check();
    }),
    propertyRuns(),
  );
});
