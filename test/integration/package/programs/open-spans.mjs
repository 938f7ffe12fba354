// What comes out of the processor, by the global logger provider: here one that keeps it.
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { logs } from '@opentelemetry/api-logs';
import { OpenSpanProcessor } from 'explainability-agent/otel';

const written = [];
logs.setGlobalLoggerProvider({ getLogger: () => ({ emit: (record) => written.push(record) }) });
const spanContext = () => ({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 });
const span = { name: 'chat', kind: 0, startTime: [1, 2], attributes: { 'model.name': 'm' }, spanContext };
const processor = new OpenSpanProcessor();
processor.onStart(span, ROOT_CONTEXT);
// A span that never ends keeps no program alive: this one ends by itself.
const [{ eventName, attributes }] = written;
console.log(JSON.stringify([eventName, attributes['span.name'], attributes['span.attributes.model.name']]));
