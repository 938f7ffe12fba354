/** What a key asks for. */
export type Action =
  | { readonly type: 'move'; readonly by: number }
  | { readonly type: 'page'; readonly by: number }
  | { readonly type: 'home' | 'end' | 'open' | 'close' | 'errors' | 'everything' | 'why' | 'details' }
  | { readonly type: 'follow' | 'help' | 'back' | 'leave' | 'quit' | 'redraw' };

/** As node:readline tells of a key. */
export interface Key {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
}

interface Binding {
  readonly keys: readonly string[];
  readonly action: Action;
}

/** Every key there is; the names are those of node:readline, or the character itself. */
const BINDINGS: readonly Binding[] = [
  { keys: ['up', 'k'], action: { type: 'move', by: -1 } },
  { keys: ['down', 'j'], action: { type: 'move', by: 1 } },
  { keys: ['pageup'], action: { type: 'page', by: -1 } },
  { keys: ['pagedown'], action: { type: 'page', by: 1 } },
  { keys: ['home', 'g'], action: { type: 'home' } },
  { keys: ['end', 'G'], action: { type: 'end' } },
  { keys: ['return', 'enter', 'space', 'right', 'l'], action: { type: 'open' } },
  { keys: ['left', 'h'], action: { type: 'close' } },
  { keys: ['e'], action: { type: 'errors' } },
  { keys: ['a'], action: { type: 'everything' } },
  { keys: ['w'], action: { type: 'why' } },
  { keys: ['d'], action: { type: 'details' } },
  { keys: ['f'], action: { type: 'follow' } },
  { keys: ['?'], action: { type: 'help' } },
  { keys: ['escape', 'backspace'], action: { type: 'back' } },
  { keys: ['q'], action: { type: 'leave' } },
];

const BY_KEY: ReadonlyMap<string, Action> = new Map(
  BINDINGS.flatMap(({ keys, action }) => keys.map((key) => [key, action] as const)),
);

export const HELP_LINES: readonly string[] = [
  'Keys',
  '',
  '  ↑ ↓  k j         one step up, down',
  '  PgUp PgDn        one page up, down',
  '  Home End  g G    to the first, the last',
  '  Enter Space →    open a summary (the service unfolds it for you), or a folded task',
  '  ←                close the summary that a step came from, or fold the task',
  '  d                details: all that is known of the step, with its texts',
  '  w                why: which steps may have caused it, and what speaks for that',
  '  e                only errors and warnings; again: all',
  '  a                every step, nothing folded into summaries; again: folded',
  '  f                follow the newest step; a move ends that',
  '  Esc              back from here, from details and from why',
  '  q                back, or quit;  Ctrl-C quits at once',
  '',
  'Signs',
  '',
  '  ✓ OK   ✗ error   ! warning   - skipped   ⋯ running   ? never ended',
];

const ESCAPE = '\u001b';
/** What a terminal sends for a key without a character: CSI or SS3, and at least one byte more. */
const CONTROL_SEQUENCE = /^[[O]./;

/**
 * Pure: the keys that node:readline tells of as one. A terminal sends Esc and then `j` as it sends Alt-j, and no key here
 * has a meaning of its own with Alt.
 */
export function keysOf(key: Key): readonly Key[] {
  const { sequence = '', name } = key;
  let start = 0;
  while (sequence[start] === ESCAPE) start++;
  const rest = sequence.slice(start);
  const isSequence = CONTROL_SEQUENCE.test(rest);
  const escapes = isSequence ? start - 1 : start;
  if (escapes <= 0) return [key];
  const before = Array.from({ length: escapes }, (): Key => ({ name: 'escape', sequence: ESCAPE }));
  if (rest === '') return before;
  if (isSequence) return [...before, { ...key, sequence: ESCAPE + rest }];
  const code = rest.charCodeAt(0);
  // Ctrl and a letter, for which node:readline has no name behind an Esc.
  const isControl = name === undefined && code >= 1 && code <= 26;
  return [
    ...before,
    isControl ? { name: String.fromCharCode(code + 96), ctrl: true } : { name, sequence: rest },
  ];
}

/** Pure: what a key asks for; undefined for one without a meaning. */
export function actionOf({ name, sequence, ctrl }: Key): Action | undefined {
  if (ctrl === true) {
    if (name === 'c') return { type: 'quit' };
    return name === 'l' ? { type: 'redraw' } : undefined;
  }
  // A capital letter has the name of the small one.
  return BY_KEY.get(sequence ?? '') ?? (isCapital(sequence) ? undefined : BY_KEY.get(name ?? ''));
}

function isCapital(sequence: string | undefined): boolean {
  return sequence !== undefined && /^\p{Lu}$/u.test(sequence);
}
