import { existsSync } from 'node:fs';
import { createRedactor } from '../src/redaction/redactor.ts';
import { BUILTIN_RULES } from '../src/redaction/rules/builtin.ts';
import { baselines } from './redaction/baselines.ts';
import type { Detector } from './redaction/baselines.ts';
import { DEV_TEXTS } from './redaction/dev-texts.ts';
import {
  FLOORS,
  GROUPS,
  TARGET_SPEED_CLEAN,
  TARGET_SPEED_LABELLED,
  TARGET_WORST_CASE_MS,
  WORST_CASE_LENGTH,
} from './redaction/floors.ts';
import type { Group } from './redaction/floors.ts';
import { HELD_OUT_TEXTS } from './redaction/held-out-texts.ts';
import { fromMarkup } from './redaction/markup.ts';
import { readSets } from './redaction/sample.ts';
import type { Sample } from './redaction/sample.ts';
import { KIND_OF_LABEL, score, STRUCTURED } from './redaction/score.ts';
import type { Found, Score } from './redaction/score.ts';
import { slowest, speedOfDoor, speedOfTexts } from './redaction/speed.ts';
import type { Speed } from './redaction/speed.ts';
import { worstCases } from '../test/support/redaction-worst-cases.ts';

/**
 * Quality of redaction on labelled sets, beside other redactors, and its speed:
 * `redaction.bench.ts [FOLDER] [--missed] [--no-baselines]`. Ends with 1 when a figure is worse than its floor.
 */

const redactor = createRedactor({ key: new Uint8Array(32).fill(1), maxCodeSnippetChars: 2000 });
const ours: Detector = {
  name: 'ours',
  find: (text) => redactor.findings(text).map(({ start, end, rule }) => ({ start, end, kind: rule.kind })),
};
const EXPECTED_SETS = ['cot-synthetic', 'presidio', 'gitleaks', 'secretlint', 'credsweeper'];

const failures: string[] = [];
const options = process.argv.slice(2);
const folder = options.find((option) => !option.startsWith('--'));
const sets = new Map([
  ['dev', fromMarkup('dev', DEV_TEXTS, 1)],
  ['held-out', fromMarkup('held-out', HELD_OUT_TEXTS, 2)],
  ...(folder !== undefined && existsSync(folder) ? readSets(folder) : []),
]);
for (const name of EXPECTED_SETS) if (!sets.has(name)) console.log(`set ${name}: not at hand, skipped`);

const detectors = options.includes('--no-baselines') ? [] : await baselines((line) => console.log(line));
const perGroup: object[] = [];
const perClass: object[] = [];
for (const [set, samples] of sets) {
  const ofClass = new Map<string, object>();
  for (const detector of [ours, ...detectors]) {
    const found: (readonly Found[])[] = [];
    for (const { text } of samples) found.push(await detector.find(text));
    for (const group of ['secrets', 'structured'] as const) {
      const result = score(samples, found, GROUPS[group]);
      if (result.labels === 0) continue;
      perGroup.push({ set, group, detector: detector.name, ...row(result) });
      if (detector === ours) holdAgainstFloors(set, group, result);
    }
    for (const kind of ['SECRET', ...STRUCTURED, 'PERSON', 'ADDRESS'] as const) {
      const result = score(samples, found, [kind], detector === ours);
      if (result.labels === 0) continue;
      const others = ofClass.get(kind) ?? { set, class: kind, ...row(result) };
      const f1 = detector === ours ? {} : { [detector.name]: result.f1.toFixed(3) };
      ofClass.set(kind, { ...others, ...f1 });
    }
    if (detector === ours && options.includes('--missed')) listMissed(samples, found);
  }
  perClass.push(...ofClass.values());
}
console.log('\nQuality per set (any overlap; leaked: share of labelled characters left visible)');
console.table(perGroup);
console.log('Quality per class, and the F1 of the others');
console.table(perClass);

const allTexts = [...sets.values()].flatMap((samples) => samples.map(({ text }) => text));
// The compiler's own time is counted as well: it is to be done before anything is measured.
for (let round = 0; round < 12; round++) for (const text of allTexts) redactor.redactText(text);
const clean = [await speedOfDoor(redactor, false), await speedOfDoor(redactor, true)];
const perSet: Speed[] = [];
for (const [set, samples] of sets)
  perSet.push(
    await speedOfTexts(
      redactor,
      set,
      samples.map(({ text }) => text),
    ),
  );
const labelled = await speedOfTexts(redactor, 'all labelled texts', allTexts);
const examples = BUILTIN_RULES.flatMap((rule) => rule.examples.hits.map(({ text }) => text));
const everyRule = await speedOfTexts(redactor, 'examples of all rules', examples);
console.log('Speed (processor time of one core)');
console.table(
  [...clean, labelled, ...perSet, everyRule].map((speed) => ({
    text: speed.text,
    'µs each': speed.microseconds.toFixed(2),
    'MB/s': speed.megabytesPerSecond.toFixed(1),
  })),
);
for (const speed of clean) fastAs(speed, TARGET_SPEED_CLEAN);
fastAs(labelled, TARGET_SPEED_LABELLED);

const worst = slowest(redactor, worstCases, WORST_CASE_LENGTH);
console.log(
  `worst case per ${WORST_CASE_LENGTH / 1000} KB: ${worst.milliseconds.toFixed(1)} ms, ${worst.name}`,
);
if (worst.milliseconds > TARGET_WORST_CASE_MS)
  console.log(`slower than the target of ${TARGET_WORST_CASE_MS} ms`);

for (const failure of failures) console.error(`FAILED: ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;

function row(result: Score): Readonly<Record<string, string | number>> {
  return {
    labels: result.labels,
    precision: result.precision.toFixed(3),
    recall: result.recall.toFixed(3),
    F1: result.f1.toFixed(3),
    '95 %': `${result.f1Low.toFixed(3)}-${result.f1High.toFixed(3)}`,
    leaked: result.leaked.toFixed(3),
    'clean altered': `${result.alteredCleanTexts}/${result.cleanTexts}`,
  };
}

function holdAgainstFloors(set: string, group: Group, result: Score): void {
  for (const floor of FLOORS) {
    if (floor.set !== set || floor.group !== group) continue;
    atLeast(`F1 of ${group} on ${set}`, result.f1, floor.f1);
    atMost(`leaked characters of ${group} on ${set}`, result.leaked, floor.leaked ?? 1);
    atMost(`altered clean texts of ${set}`, result.alteredCleanTexts, floor.alteredCleanTexts ?? Infinity);
  }
}

/** Said, and no failure: how fast a machine is differs from minute to minute. */
function fastAs({ text, megabytesPerSecond }: Speed, target: number): void {
  if (megabytesPerSecond < target) console.log(`slower than the target of ${target} MB/s: ${text}`);
}

function atLeast(what: string, value: number, floor: number): void {
  if (value < floor) failures.push(`${what} is ${value.toFixed(3)}, below ${floor}`);
}

function atMost(what: string, value: number, limit: number): void {
  if (value > limit) failures.push(`${what} is ${value.toFixed(3)}, above ${limit}`);
}

/** Shows what a rule's author wants to see: labels that were not hidden, and hits without a label. */
function listMissed(samples: readonly Sample[], found: readonly (readonly Found[])[]): void {
  for (const [i, { id, text, spans }] of samples.entries()) {
    const overlaps = (a: { start: number; end: number }, b: { start: number; end: number }): boolean =>
      a.start < b.end && b.start < a.end;
    for (const span of spans) {
      if (!(span.type in KIND_OF_LABEL) || found[i]?.some((item) => overlaps(item, span))) continue;
      const around = text.slice(Math.max(0, span.start - 40), span.end + 10).slice(0, 160);
      console.log(`missed ${id} ${span.subtype ?? span.type}: ${JSON.stringify(around)}`);
    }
    for (const item of found[i] ?? []) {
      if (spans.some((span) => overlaps(span, item))) continue;
      const around = text.slice(Math.max(0, item.start - 30), item.end + 10).slice(0, 160);
      console.log(`extra ${id} ${item.kind}: ${JSON.stringify(around)}`);
    }
  }
}
