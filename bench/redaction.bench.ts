import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createRedactor } from '../src/redaction/redactor.ts';
import { hitsOf } from '../src/redaction/rule.ts';
import { BUILTIN_RULES } from '../src/redaction/rules/builtin.ts';
import { doorDetector } from './redaction/at-door.ts';
import { baselines } from './redaction/baselines.ts';
import { ownCleanTexts, recordedCleanTexts } from './redaction/clean-texts.ts';
import { DEV_TEXTS } from './redaction/dev-texts.ts';
import {
  FLOORS,
  GROUPS,
  TARGET_GROWTH,
  TARGET_SPEED_CLEAN,
  TARGET_SPEED_LABELLED,
  TARGET_WORST_CASE_MS,
  WORST_CASE_LENGTH,
} from './redaction/floors.ts';
import type { Group } from './redaction/floors.ts';
import { HELD_OUT_TEXTS } from './redaction/held-out-texts.ts';
import { fromMarkup } from './redaction/markup.ts';
import { byPolicy } from './redaction/policy.ts';
import { halfOf, readSets, type Half, type Sample } from './redaction/sample.ts';
import { isLeaked, KIND_OF_LABEL, score, STRUCTURED, type Result, type Score } from './redaction/score.ts';
import { slowest, speedOfDoor, speeds } from './redaction/speed.ts';
import { worstCases } from '../test/support/redaction-worst-cases.ts';

/**
 * Quality of redaction at the output of the door on labelled sets, each in two halves, beside other redactors, and
 * its speed: `redaction.bench.ts [FOLDER] [--missed] [--quality | --speed] [--no-baselines]`. Ends with 1 when a
 * figure is worse than its floor.
 *
 * FOLDER holds the labelled sets; where recordings of agents lie beside it, they are taken as clean texts. `--missed`
 * lists what was missed in half A, for those who write rules; half B is for the score alone.
 */

const redactor = createRedactor({
  key: new Uint8Array(32).fill(1),
  maxCodeSnippetChars: Number.MAX_SAFE_INTEGER,
});
const ours = doorDetector(redactor);
const EXPECTED_SETS = ['cot-synthetic', 'presidio', 'gitleaks', 'secretlint', 'credsweeper'];
type Part = Half | 'A+B';
const PARTS: readonly Part[] = ['A', 'B', 'A+B'];

const failures: string[] = [];
const options = process.argv.slice(2);
const folder = options.find((option) => !option.startsWith('--'));
const hasFolder = folder !== undefined && existsSync(folder);
const sets = new Map([
  ['dev', fromMarkup('dev', DEV_TEXTS, 1)],
  ['held-out', fromMarkup('held-out', HELD_OUT_TEXTS, 2)],
  ...(hasFolder ? readSets(folder) : []),
]);
const cleanSets = new Map([
  ['own clean texts', ownCleanTexts()],
  ['recorded clean texts', hasFolder ? recordedCleanTexts(join(folder, '..')) : []],
]);
for (const name of EXPECTED_SETS) if (!sets.has(name)) console.log(`set ${name}: not at hand, skipped`);

const others = options.includes('--no-baselines') ? [] : await baselines((line) => console.log(line));
if (!options.includes('--speed')) await showQuality();
if (!options.includes('--quality')) await showSpeed();

for (const failure of failures) console.error(`FAILED: ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;

async function showQuality(): Promise<void> {
  const perGroup: object[] = [];
  const perClass: object[] = [];
  const clean: object[] = [];
  for (const [set, samples] of [...sets, ...cleanSets]) {
    for (const detector of [ours, ...others]) {
      const results = await detector.results(samples.map(({ text }) => text));
      for (const part of PARTS) {
        const [mine, shown] = ofPart(set, part, samples, results);
        const title = { set, part, detector: detector.name };
        if (cleanSets.has(set)) {
          const { cleanTexts, alteredCleanTexts } = score(mine, shown, [], false);
          clean.push({ ...title, texts: cleanTexts, altered: alteredCleanTexts });
          if (detector === ours) holdAgainstFloors(set, part, 'clean', score(mine, shown, [], false));
          continue;
        }
        for (const group of ['secrets', 'structured', 'addresses'] as const) {
          const result = score(mine, shown, GROUPS[group]);
          if (result.labels === 0) continue;
          const policy = score(mine.map(byPolicy), shown, GROUPS[group], false);
          perGroup.push({ group, ...title, ...row(result), 'F1 by policy': policy.f1.toFixed(3) });
          if (detector === ours) holdAgainstFloors(set, part, group, result);
        }
        for (const kind of ['SECRET', ...STRUCTURED, 'PERSON', 'ADDRESS'] as const) {
          const result = score(mine, shown, [kind], false);
          if (detector === ours && result.labels > 0)
            perClass.push({ class: kind, set, part, ...row(result) });
        }
      }
      if (detector === ours && options.includes('--missed'))
        listMissed(...ofPart(set, 'A', samples, results));
    }
  }
  console.log(
    '\nQuality at the door (F1: any overlap, by the labels as they are; by policy: ids that are issued to be shown are no secrets, and a labelled value is one wherever it stands; leaked: share of values of which six characters in a row are left)',
  );
  console.table(perGroup);
  console.log('Ours per class');
  console.table(perClass);
  console.log('Texts of agents without anything private, as far as is known');
  console.table(clean);
}

function ofPart(
  set: string,
  part: Part,
  samples: readonly Sample[],
  results: readonly Result[],
): [readonly Sample[], readonly Result[]] {
  const isMeant = (_: unknown, i: number): boolean =>
    part === 'A+B' || halfOf(set, samples[i] as Sample) === part;
  return [samples.filter(isMeant), results.filter(isMeant)];
}

async function showSpeed(): Promise<void> {
  const textsOf = (named: ReadonlyMap<string, readonly Sample[]>): readonly string[] =>
    [...named.values()].flatMap((samples) => samples.map(({ text }) => text));
  const texts = new Map([
    ['clean agent texts', textsOf(cleanSets)],
    ['labelled texts', textsOf(sets)],
    ...[...sets, ...cleanSets].map(([set, samples]) => [set, samples.map(({ text }) => text)] as const),
    ['examples of all rules', BUILTIN_RULES.flatMap(hitsOf).map(({ text }) => text)],
  ]);
  // The compiler's own time is counted as well: it is to be done before anything is measured.
  for (let round = 0; round < 12; round++) for (const text of textsOf(sets)) redactor.redactText(text);
  const rows: object[] = [];
  for (const isJson of [false, true]) {
    const speed = await speedOfDoor(redactor, isJson);
    rows.push({ text: speed.text, ours: speed.megabytesPerSecond.toFixed(1) });
  }
  for (const [name, list] of texts) {
    if (list.length === 0) continue;
    const found = await speeds([ours, ...others], list);
    rows.push({ text: name, ...Object.fromEntries([...found].map(([by, speed]) => [by, speed.toFixed(1)])) });
    const target = { 'clean agent texts': TARGET_SPEED_CLEAN, 'labelled texts': TARGET_SPEED_LABELLED }[name];
    // Said, and no failure: how fast a machine is differs from minute to minute.
    if (target !== undefined && (found.get('ours') ?? 0) < target)
      console.log(`slower than the target of ${target} MB/s: ${name}`);
  }
  console.log('Speed (megabytes for each second of processor time)');
  console.table(rows);

  const worst = slowest(redactor, worstCases, WORST_CASE_LENGTH);
  console.log(
    `Worst cases of ${WORST_CASE_LENGTH / 1000} KB, and how many times as long they take as an eighth of it`,
  );
  console.table(
    worst.map(({ name, milliseconds, growth }) => ({
      name,
      ms: milliseconds.toFixed(1),
      'times an eighth': growth.toFixed(1),
    })),
  );
  if ((worst[0]?.milliseconds ?? 0) > TARGET_WORST_CASE_MS)
    console.log(`slower than the target of ${TARGET_WORST_CASE_MS} ms`);
  for (const { name, growth } of worst)
    if (growth > TARGET_GROWTH) console.log(`grows by more than ${TARGET_GROWTH} times: ${name}`);
}

function row(result: Score): Readonly<Record<string, string | number>> {
  return {
    labels: result.labels,
    precision: result.precision.toFixed(3),
    recall: result.recall.toFixed(3),
    F1: result.f1.toFixed(3),
    '95 %': `${result.f1Low.toFixed(3)}-${result.f1High.toFixed(3)}`,
    'exact F1': result.exactF1.toFixed(3),
    leaked: result.leaked.toFixed(3),
    'clean altered': `${result.alteredCleanTexts}/${result.cleanTexts}`,
  };
}

function holdAgainstFloors(set: string, part: Part, group: Group, result: Score): void {
  const floor = FLOORS.find((item) => item.set === set && item.group === group);
  const limits = part === 'A+B' ? undefined : floor?.[part];
  if (!limits) return;
  const where = `${group} on ${set}, half ${part}`;
  atLeast(`F1 of ${where}`, result.f1, limits.f1 ?? 0);
  atMost(`leaked values of ${where}`, result.leaked, limits.leaked ?? 1);
  atMost(`altered clean texts of ${where}`, result.alteredCleanTexts, limits.altered ?? Infinity);
}

function atLeast(what: string, value: number, floor: number): void {
  if (value < floor) failures.push(`${what} is ${value.toFixed(3)}, below ${floor}`);
}

function atMost(what: string, value: number, limit: number): void {
  if (value > limit) failures.push(`${what} is ${value.toFixed(3)}, above ${limit}`);
}

/** Shows what a rule's author wants to see: values that were not hidden, and hits without a label. */
function listMissed(samples: readonly Sample[], results: readonly Result[]): void {
  for (const [i, { id, text, spans }] of samples.entries()) {
    const result = results[i] as Result;
    const { found } = result[0];
    const overlaps = (a: { start: number; end: number }, b: { start: number; end: number }): boolean =>
      a.start < b.end && b.start < a.end;
    for (const span of spans) {
      if (!(span.type in KIND_OF_LABEL)) continue;
      const isFound = found.some((item) => overlaps(item, span));
      if (isFound && !isLeaked(span, result)) continue;
      const around = text.slice(Math.max(0, span.start - 40), span.end + 10).slice(0, 160);
      console.log(
        `${isFound ? 'leaked' : 'missed'} ${id} ${span.subtype ?? span.type}: ${JSON.stringify(around)}`,
      );
    }
    for (const item of found) {
      if (spans.some((span) => overlaps(span, item))) continue;
      const around = text.slice(Math.max(0, item.start - 30), item.end + 10).slice(0, 160);
      console.log(`extra ${id} ${item.kind}: ${JSON.stringify(around)}`);
    }
  }
}
