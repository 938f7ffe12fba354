import type { Break } from './breaks.ts';

const RING = ['src/gateway/routing/ring.test.ts'];
const OTLP = ['src/gateway/routing/split-otlp.test.ts'];
const ENTRIES = ['src/gateway/routing/split-entries.test.ts'];
const FORWARDING = ['src/gateway/routing/forwarding.test.ts'];
const SENDER = ['src/gateway/routing/cell-sender.test.ts'];

/** What a gateway sends on to its cells. */
export const ROUTING: readonly Break[] = [
  {
    rule: 'RT1 the ring',
    what: 'a point whose place is taken is left out',
    file: 'src/gateway/routing/ring.ts',
    from: 'const MOVES = 10;',
    to: 'const MOVES = 1;',
    tests: RING,
  },
  {
    rule: 'RT2 attributes',
    what: 'what follows an attribute that hints at a thought is not read',
    file: 'src/gateway/routing/proto-items.ts',
    from: 'if (tag === 10) this.hint(isHint(reader.name(reader.lengthEnd(end))));',
    to: 'if (tag === 10) this.mayTell ||= isHint(reader.name(reader.lengthEnd(end)));',
    tests: OTLP,
  },
  {
    rule: 'RT2 the parts hold together what the body holds',
    what: 'what stands around the items of a scope stays behind',
    file: 'src/gateway/routing/split-proto.ts',
    from: 'for (const piece of around) to.add(piece);',
    to: 'for (const piece of around.slice(1)) to.add(piece);',
    tests: OTLP,
  },
  {
    rule: 'RT2 larger than four times the body',
    what: 'resources are copied to any number of cells',
    file: 'src/gateway/routing/split-proto.ts',
    from: 'const MOST_COPIED = 4;',
    to: 'const MOST_COPIED = 400;',
    tests: OTLP,
  },
  {
    rule: 'RT3 by an attribute',
    what: 'the item is asked before its resource',
    file: 'src/gateway/routing/choose.ts',
    from: 'resource.attribute(name) ?? scope.attribute(name) ?? item.attribute(name)',
    to: 'item.attribute(name) ?? scope.attribute(name) ?? resource.attribute(name)',
    tests: OTLP,
  },
  {
    rule: 'RT4 apart',
    what: 'entries of thoughts are sent among other log records',
    file: 'src/gateway/routing/choose.ts',
    from: 'hasThoughts: true',
    to: 'hasThoughts: false',
    tests: OTLP,
  },
  {
    rule: 'RT5 to every cell',
    what: 'points go to one cell',
    file: 'src/gateway/routing/split-otlp.ts',
    from: 'return ring.names.map((cell) => ({ cell, body }));',
    to: 'return ring.names.slice(0, 1).map((cell) => ({ cell, body }));',
    tests: OTLP,
  },
  {
    rule: 'RT6 whole streams',
    what: 'a thought goes to another cell when its trace is known',
    file: 'src/gateway/routing/stream-homes.ts',
    from: 'home?.cell ?? ring.of(key)',
    to: 'ring.of(key)',
    tests: ENTRIES,
  },
  {
    rule: 'RT6 continued nowhere else',
    what: 'a thought goes on in another cell when its own is away for good',
    file: 'src/gateway/routing/stream-homes.ts',
    from: 'if (isHomeless && touchedAt - known.touchedAt < WAIT_MS) throw homeless();',
    to: '',
    tests: ENTRIES,
  },
  {
    rule: 'RT7 events',
    what: 'an event does not follow the thought that it points at',
    file: 'src/gateway/routing/choose.ts',
    from: 'homes.known(request) ?? ring.of(request)',
    to: 'ring.of(request)',
    tests: ENTRIES,
  },
  {
    rule: 'RT8 once',
    what: 'points that all cells rejected count for each',
    file: 'src/gateway/routing/forwarding.ts',
    from: "signal === 'metrics' ?",
    to: "signal === 'metrics' && encoding === 'json' ?",
    tests: FORWARDING,
  },
  {
    rule: 'RT9 sent again',
    what: 'a refusal for good hides that a cell has to be sent to again',
    file: 'src/gateway/routing/refusals.ts',
    from: 'for (const code of RETRIED) {',
    to: 'for (const code of refusals[0] ? [refusals[0].code] : RETRIED) {',
    tests: FORWARDING,
  },
  {
    rule: 'RT10 places',
    what: 'an entry is told by its place in its part',
    file: 'src/gateway/routing/merge-entries.ts',
    from: "indexes?.[remark['index']] ?? remark['index']",
    to: "remark['index']",
    tests: FORWARDING,
  },
  {
    rule: 'RT11 not cut',
    what: 'a body goes by its sender, whatever it names',
    file: 'src/gateway/routing/forwarding.ts',
    from: 'named ?? by.id',
    to: 'by.id',
    tests: FORWARDING,
  },
  {
    rule: 'RT12 once more',
    what: 'a kept connection that is closed costs a request',
    file: 'src/gateway/routing/cell-sender.ts',
    from: 'error instanceof NoAnswer && error.wasKept',
    to: 'false',
    tests: SENDER,
  },
  {
    rule: 'RT13 passed on',
    what: 'OTLP/HTTP decodes what should be passed on',
    file: 'src/receivers/otlp-http/otlp-http-receiver.ts',
    from: 'passOn ? passOn(',
    to: "passOn && sent.signal === 'traces' ? passOn(",
    tests: ['src/receivers/otlp-http/otlp-http-receiver.test.ts'],
  },
];
