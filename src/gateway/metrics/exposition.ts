/**
 * Metrics of several processes as one text of Prometheus' exposition format 0.0.4: each series has a label with the name of its
 * process, and each metric its HELP and TYPE once.
 */

/** What one process shows. */
export interface Exposition {
  /** The value of the label. */
  readonly name: string;
  readonly text: string;
}

const LABEL = 'cell';
/** What a cell's own label of that name is called, as Prometheus does it. */
const RENAMED = 'exported_cell';

/** A service has some hundred lines; with every rule, guard and reason named, a few thousand. */
const MAX_LINES = 20_000;

const META = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)$/;
const SAMPLE =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\.)*",?)*)\})?[ \t]+([^ \t]+)(?:[ \t]+-?[0-9]+)?[ \t]*$/;
const VALUE = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?Inf|NaN)$/;
/** Of the series that make one histogram or summary. */
const PART_OF_FAMILY = /^_(?:bucket|sum|count)$/;

interface Family {
  readonly name: string;
  help: string | undefined;
  type: string | undefined;
  readonly lines: string[];
}

/**
 * A line that is none of the format is left out, and so is a metric that has another type than with those before it: one
 * bad line, and Prometheus takes none of all.
 * @param expositions whose order decides which HELP and TYPE stand
 */
export function mergedExpositions(expositions: readonly Exposition[]): string {
  const families = new Map<string, Family>();
  for (const { name, text } of expositions)
    for (const family of familiesIn(text, name)) {
      const known = families.get(family.name);
      if (known === undefined) families.set(family.name, family);
      else if (known.type === family.type) known.lines.push(...family.lines);
    }
  const shown = [...families.values()].filter(({ lines }) => lines.length > 0);
  shown.sort((a, b) => (a.name < b.name ? -1 : 1));
  return shown.map(written).join('');
}

function written({ name, help, type, lines }: Family): string {
  const head = [
    ...(help === undefined ? [] : [`# HELP ${name} ${help}`]),
    ...(type === undefined ? [] : [`# TYPE ${name} ${type}`]),
  ];
  return `${[...head, ...lines].join('\n')}\n`;
}

function familiesIn(text: string, process: string): Iterable<Family> {
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  const familyOf = (name: string): Family => {
    const known = families.get(name);
    if (known) return known;
    const made: Family = { name, help: undefined, type: undefined, lines: [] };
    families.set(name, made);
    return made;
  };
  let current: Family | undefined;
  for (const line of text.split('\n', MAX_LINES)) {
    const meta = META.exec(line);
    if (meta) {
      const [, kind, name = '', rest] = meta;
      current = familyOf(name);
      if (kind === 'HELP') current.help ??= rest;
      else current.type ??= rest;
      continue;
    }
    const sample = SAMPLE.exec(line);
    if (!sample) continue;
    const [, name = '', labels, value = ''] = sample;
    const series = labelled(name, labels, process);
    // Twice the same series is no exposition either.
    if (!VALUE.test(value) || seen.has(series)) continue;
    seen.add(series);
    const family = current && isOf(current, name) ? current : familyOf(name);
    // A time stamp would make what is old here look old, and what stands still be dropped: the scrape has its own.
    family.lines.push(`${series} ${value}`);
  }
  return families.values();
}

function isOf({ name, type }: Family, sample: string): boolean {
  if (sample === name) return true;
  const isCompound = type === 'histogram' || type === 'summary';
  return isCompound && sample.startsWith(name) && PART_OF_FAMILY.test(sample.slice(name.length));
}

function labelled(name: string, labels: string | undefined, process: string): string {
  const own = `${LABEL}="${escaped(process)}"`;
  const others = (labels ?? '').replace(/,$/, '').replace(/(^|,)cell="/g, `$1${RENAMED}="`);
  return `${name}{${own}${others === '' ? '' : `,${others}`}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
