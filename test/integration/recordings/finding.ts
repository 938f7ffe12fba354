/** The columns of the report in which found and contained are counted. */
export type Cell =
  | 'agent'
  | 'model'
  | 'tokens'
  | 'cost'
  | 'prompt'
  | 'completion'
  | 'reasoning'
  | 'details'
  | 'tools'
  | 'merges'
  | 'edges'
  | 'tasks'
  | 'agents'
  | 'errors';

/** One comparison of what a recording contains with what the service shows. */
export interface Finding {
  readonly cell: Cell;
  /** The span, task or agent; findings of one cell and subject are counted as one. */
  readonly of: string;
  readonly field: string;
  readonly expected: string;
  readonly found: string;
  readonly isRight: boolean;
  /** False when the recording holds nothing here and nothing may be shown. */
  readonly isContained: boolean;
}

export type Findings = readonly Finding[];

/** Compares a value; what is absent on both sides is right and not counted. */
export function compare(
  cell: Cell,
  of: string,
  field: string,
  expected: unknown,
  found: unknown,
  isSame: (found: unknown) => boolean = (value) => value === expected,
): Finding {
  const isContained = expected !== null;
  return {
    cell,
    of,
    field,
    expected: isContained ? wordOf(expected) : 'nothing',
    found: found === undefined ? 'nothing' : wordOf(found),
    isRight: isContained ? found !== undefined && isSame(found) : found === undefined,
    isContained,
  };
}

/** Something that must not be. */
export function unwanted(cell: Cell, of: string, field: string, found: string): Finding {
  return { cell, of, field, expected: 'nothing', found, isRight: false, isContained: false };
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Figures that are sums of decimal fractions are not the same to the last bit. */
export function isSameFigure(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}

/** `found/contained` by subject, for each cell that has a subject. */
export function countCells(findings: Findings): ReadonlyMap<Cell, string> {
  const cells = Map.groupBy(findings, ({ cell }) => cell);
  return new Map([...cells].map(([cell, own]) => [cell, countSubjects(own)]));
}

function countSubjects(findings: Findings): string {
  const subjects = [...Map.groupBy(findings, ({ of }) => of).values()].filter((own) =>
    own.some(({ isContained }) => isContained),
  );
  if (subjects.length === 0) return '-';
  const right = subjects.filter((own) => own.every(({ isRight }) => isRight));
  return `${right.length}/${subjects.length}`;
}
