import type { Break } from './breaks.ts';

const STRUCTURE = ['src/subscriptions/structure-reader.test.ts'];

/** What is given to who may see and not read. */
export const DETAIL: readonly Break[] = [
  {
    rule: 'AC20 structure',
    what: 'what programs write into details is structure, whatever it is',
    file: 'src/subscriptions/structure-node.ts',
    from: 'CHECKS[key]?.(value) === true',
    to: '(CHECKS[key] ?? isWord)(value)',
    tests: STRUCTURE,
  },
  {
    rule: 'AC21 worked out from structure',
    what: 'texts are looked at for who may not read them',
    file: 'src/subscriptions/reader.ts',
    from: 'return detail === undefined ? load : NO_TEXTS;',
    to: 'return detail === undefined || load !== NO_TEXTS ? load : NO_TEXTS;',
    tests: STRUCTURE,
  },
  {
    rule: 'AC22 probing',
    what: 'filters over texts are taken',
    file: 'src/subscriptions/structure-reader.ts',
    from: 'find((field) => !FILTERS.has(field))',
    to: 'find((field) => FILTERS.has(field) && !FILTERS.has(field))',
    tests: STRUCTURE,
  },
  {
    rule: 'AC23 a change of texts alone',
    what: 'a change of texts alone is sent',
    file: 'src/subscriptions/diff-view.ts',
    from: ' || isStructure(node)',
    to: ' && !isStructure(node)',
    tests: STRUCTURE,
  },
  {
    rule: 'AC23 taken up again',
    what: 'a subscription is taken up again at another level of detail',
    file: 'src/subscriptions/subscriptions.ts',
    from: 'subscription.view.spec.detail !== request.spec.detail',
    to: 'subscription.view.spec.detail === undefined && subscription.id === ""',
    tests: STRUCTURE,
  },
];
