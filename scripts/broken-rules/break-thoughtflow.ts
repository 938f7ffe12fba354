import type { Break } from './breaks.ts';

const RECEIVE = ['src/receivers/thoughtflow/receive-flow.test.ts'];

/** What comes and goes as ThoughtFlow. */
export const THOUGHTFLOW: readonly Break[] = [
  {
    rule: 'TF12 the first by start',
    what: 'who said a part is the one that is known first',
    file: 'src/correlation/prompt-provenance.ts',
    from: 'before.toSorted(byStartAndId)',
    to: 'before',
  },
  {
    rule: 'TF3 dependencies',
    what: 'what closes a circle makes an edge',
    file: 'src/receivers/thoughtflow/dependencies.ts',
    from: 'closing.set(top.step, of.add(target));',
    to: 'closing.set(top.step, of);',
    tests: RECEIVE,
  },
  {
    rule: 'TF5 what began before',
    what: 'a completion does not look for its start in the store',
    file: 'src/receivers/thoughtflow/open-sessions.ts',
    from: 'if (open.isBegun) continue;',
    to: 'if (open.isOpen || !open.isOpen) continue;',
    tests: RECEIVE,
  },
  {
    rule: 'TF13 places in a redacted prompt',
    what: 'places count the text before it was redacted',
    file: 'src/conventions/flow-prompt.ts',
    from: 'finalPrompt.search(MARKER) >= 0',
    to: 'finalPrompt.search(MARKER) > finalPrompt.length',
    tests: ['src/conventions/prompt-parts.test.ts'],
  },
];
