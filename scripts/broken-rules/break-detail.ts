import type { Break } from './breaks.ts';

const STRUCTURE = ['src/subscriptions/structure-reader.test.ts'];
const LIMITS = ['src/access/limits.test.ts'];
const TURNS = ['src/access/turns.test.ts'];
const SHARES = ['src/transport/inflight-bytes.test.ts'];

/** What is given to who may see and not read, and how much a key may do. */
export const DETAIL: readonly Break[] = [
  {
    rule: 'AC37 who has most places makes room',
    what: 'places are for who came first',
    file: 'src/base/who-makes-room.ts',
    from: '  return last;\n',
    to: '  return undefined;\n',
    tests: ['src/base/who-makes-room.test.ts'],
  },
  {
    rule: 'AC37 who has most places makes room',
    what: 'all who read runs of AG-UI are one',
    file: 'src/servers/http/ag-ui/run-streams.ts',
    from: 'this.readers.set(response, who);',
    to: "this.readers.set(response, '');",
    tests: ['src/servers/http/ag-ui/send-events.test.ts'],
  },
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
  {
    rule: 'AC31 what is in a request counts',
    what: 'what was too much is forgotten',
    file: 'src/access/limits.ts',
    from: 'before.amount = Math.min(most, before.amount +',
    to: 'before.amount = Math.min(most, Math.max(0, before.amount) +',
    tests: LIMITS,
  },
  {
    rule: 'AC32 at once',
    what: 'what ended twice makes room twice',
    file: 'src/access/limits.ts',
    from: 'if (isHeld) held.set',
    to: 'if (isHeld || !isHeld) held.set',
    tests: LIMITS,
  },
  {
    rule: 'AC35 shares',
    what: 'who has more than its share takes the last quarter',
    file: 'src/transport/byte-shares.ts',
    from: 'return leaves ? this.limit * (1 - LEFT_TO_OTHERS) : this.limit;',
    to: 'return leaves && this.limit < 0 ? this.limit * (1 - LEFT_TO_OTHERS) : this.limit;',
    tests: SHARES,
  },
  {
    rule: 'AC35 shares',
    what: 'nothing of who has more than its share makes room',
    file: 'src/transport/inflight-bytes.ts',
    from: 'if (fits() || !this.shares.isWithin(asking.who, bytes)) return;',
    to: 'if (fits() || this.shares.isWithin(asking.who, bytes)) return;',
    tests: SHARES,
  },
  {
    rule: 'AC36 turns',
    what: 'who floods has all of its requests taken in at once',
    file: 'src/access/turns.ts',
    from: '!this.running.has(who) || !this.active.hasOthersThan(who)',
    to: '!this.running.has(who) || this.active.count > 0',
    tests: TURNS,
  },
];
