import type { Break } from './breaks.ts';

const RUN = ['src/exporters/ag-ui/task-run.test.ts'];

export const AG_UI_OUT: readonly Break[] = [
  {
    rule: 'AG23 a text that reads otherwise is another message',
    what: 'it goes on in the same one',
    file: 'src/exporters/ag-ui/growing-message.ts',
    from: 'if (isOther) this.end();',
    tests: RUN,
  },
  {
    rule: 'AG25 what is open ends before the run does',
    what: 'the run ends and it does not',
    file: 'src/exporters/ag-ui/task-run.ts',
    from: 'if (told) this.end(told, {});',
  },
  {
    rule: 'AG24 sub-agents end before the step that they work in',
    what: 'they end with the run',
    file: 'src/exporters/ag-ui/subagents.ts',
    from: 'within.isAnchorClosed = true;',
    tests: RUN,
  },
  {
    rule: 'AG31 what is open when its run ends, ends before',
    what: 'it stays open',
    file: 'src/exporters/ag-ui/kept/event-order.ts',
    from: 'const ends = [...this.open.values()].reverse().map(endOf);',
    to: 'const ends: OutEvent[] = [];',
  },
  {
    rule: 'AG28 when the client leaves, all work ends',
    what: 'its subscription stays',
    file: 'src/servers/http/ag-ui/task-changes.ts',
    from: 'this.reader.unsubscribe(this.handle.subscriptionId);',
    tests: ['src/servers/http/ag-ui/run-route.test.ts'],
  },
];
