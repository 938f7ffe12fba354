import { metrics, propagation, trace } from '@opentelemetry/api';
import { startService } from '../../src/embedded/program.ts';

/**
 * A program with a service of its own, which it does not stop. Prints what is in the graph, and what of the process is
 * different with the service.
 */
const SIGNALS = [
  'SIGTERM',
  'SIGINT',
  'SIGHUP',
  'beforeExit',
  'exit',
  'uncaughtException',
  'unhandledRejection',
  'warning',
];

function ofProcess(): Readonly<Record<string, unknown>> {
  return {
    ...Object.fromEntries(SIGNALS.map((name) => [name, process.listenerCount(name)])),
    tracers: trace.getTracerProvider(),
    meters: metrics.getMeterProvider(),
    fields: String(propagation.fields()),
    sockets: process.getActiveResourcesInfo().filter((name) => /TCP|UDP|Pipe(?!Wrap)|Server/.test(name))
      .length,
    flags: process.execArgv.join(' '),
    umask: process.umask(),
    title: process.title,
  };
}

const before = ofProcess();
const service = await startService();
await service.publishThought({ requestId: 'r1', timestamp: Date.now(), text: 'Look first.', final: true });
const { nodes } = await service.getGraph();
const after = ofProcess();
const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
console.log(JSON.stringify({ nodes: nodes.length, changed }));
