import type { Break } from './breaks.ts';

const KAFKA = ['src/receivers/kafka/kafka-receiver.test.ts'];
const FEED = ['src/embedded/feed.test.ts'];
const PROGRAM = ['test/embedded/inside-a-program.test.ts'];

/** Of what reads from Kafka, and of the service inside a program. */
export const PROGRAMS: readonly Break[] = [
  {
    rule: 'CL34 ids change nothing outside of the graph',
    what: 'an edge to __proto__ is held',
    file: 'src/client/graph-mirror.ts',
    from: '!(from in Object.prototype) && !(to in Object.prototype)',
    to: 'from !== to || from === to',
    tests: ['test/client/graph-mirror.test.ts'],
  },
  {
    rule: 'KA1 offsets are committed after the records are kept',
    what: 'they are committed meanwhile',
    file: 'src/receivers/kafka/kafka-receiver.ts',
    from: '      await this.keep(window);',
    to: '      this.keep(window).catch(() => undefined);',
    tests: KAFKA,
  },
  {
    rule: 'KA3 what is delivered again adds nothing',
    what: 'messages of one partition have the same digest',
    file: 'src/receivers/kafka/message-window.ts',
    from: '\\0${offset}\\0',
    to: '\\0',
    tests: KAFKA,
  },
  {
    rule: 'KA3 what is delivered again adds nothing',
    what: 'more messages of a thought are uncommitted than it remembers',
    file: 'src/receivers/kafka/message-window.ts',
    from: 'if (count >= MAX_OF_ONE_THOUGHT) this.isFullFor = true;',
    to: '',
    tests: KAFKA,
  },
  {
    rule: 'KA3 what is delivered again adds nothing',
    what: 'what comes again within a membership is taken again',
    file: 'src/receivers/kafka/kafka-receiver.ts',
    from: ' || offset < (read.get(name) ?? 0n)',
    to: '',
    tests: KAFKA,
  },
  {
    rule: 'KA3 what another member has is left to it',
    what: 'partitions of others are read and committed',
    file: 'src/receivers/kafka/kafka-receiver.ts',
    from: '!session.owns(topic, partition) || offset',
    to: 'offset',
    tests: KAFKA,
  },
  {
    rule: 'KA4 a message at fault costs the others nothing',
    what: 'all that was read with it is skipped',
    file: 'src/receivers/kafka/kafka-receiver.ts',
    from: 'for (const { message, records } of read) {',
    to: 'for (const { message, records } of read.slice(0, 0)) {',
    tests: KAFKA,
  },
  {
    rule: 'EM2 who unsubscribes gets nothing more',
    what: 'the subscription stays',
    file: 'src/embedded/feed.ts',
    from: '    this.held = undefined;\n    this.leave();',
    to: '    this.held = undefined;',
    tests: FEED,
  },
  {
    rule: 'EM3 one update at a time',
    what: 'more is written before one is taken',
    file: 'src/embedded/feed.ts',
    from: 'return this.held === undefined && !this.isEnded;',
    to: 'return !this.isEnded;',
    tests: FEED,
  },
  {
    rule: 'EM3 never in the middle of the service’s work',
    what: 'the consumer is called while the service writes',
    file: 'src/embedded/feed.ts',
    from: '    setImmediate(() => {\n      if (this.held && !this.isEnded) this.listener.ready();\n    });',
    to: '    if (!this.isEnded) this.listener.ready();',
    tests: FEED,
  },
  {
    rule: 'EM4 a source that completes ends the input for nobody else',
    what: 'the Subject completes with it',
    file: 'src/embedded/inputs.ts',
    from: '    // Only `end` does.',
    to: '    super.complete();',
    tests: PROGRAM,
  },
  {
    rule: 'EM4 a message is published when it is kept',
    what: 'it is when it was taken',
    file: 'src/embedded/inputs.ts',
    from: '    await stored;',
    to: '    void stored;',
    tests: PROGRAM,
  },
  {
    rule: 'CL35 held beside',
    what: 'a fresh graph that nobody sees yet may be of any size',
    file: 'src/client/session.ts',
    from: 'if (items <= maxUnshownItems) return false;',
    to: 'if (items < Infinity) return false;',
    tests: ['test/client/session.test.ts'],
  },
];
