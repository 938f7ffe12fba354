interface SenderText {
  readonly name: string;
  readonly label: string;
  readonly text: string;
}

/** What to type to send a first span. @param address such as `http://127.0.0.1:9000` */
export function senderTexts(address: string, wantsToken: boolean): readonly SenderText[] {
  const header = wantsToken ? "\nexport OTEL_EXPORTER_OTLP_HEADERS='authorization=Bearer%20YOUR_TOKEN'" : '';
  const curlHeader = wantsToken ? " \\\n  -H 'authorization: Bearer YOUR_TOKEN'" : '';
  const env = `export OTEL_EXPORTER_OTLP_ENDPOINT=${address}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf${header}`;
  return [
    { name: 'env', label: 'Environment', text: env },
    {
      name: 'python',
      label: 'Python',
      text: `# pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(
    OTLPSpanExporter(endpoint="${address}/v1/traces"${wantsToken ? ', headers={"authorization": "Bearer YOUR_TOKEN"}' : ''})))
trace.set_tracer_provider(provider)
with trace.get_tracer("hello").start_as_current_span("chat my-model") as span:
    span.set_attribute("gen_ai.operation.name", "chat")
    span.set_attribute("gen_ai.request.model", "my-model")
provider.shutdown()`,
    },
    {
      name: 'js',
      label: 'JavaScript',
      text: `// npm install @opentelemetry/sdk-node @opentelemetry/exporter-trace-otlp-proto
import { NodeSDK } from '@opentelemetry/sdk-node';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { trace } from '@opentelemetry/api';

const sdk = new NodeSDK({
  traceExporter: new OTLPTraceExporter({ url: '${address}/v1/traces'${wantsToken ? ", headers: { authorization: 'Bearer YOUR_TOKEN' }" : ''} }),
});
sdk.start();
const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'my-model' };
trace.getTracer('hello').startSpan('chat my-model', { attributes }).end();
await sdk.shutdown();`,
    },
    {
      name: 'curl',
      label: 'curl',
      text: `curl -X POST ${address}/api/cot${curlHeader} \\
  -H 'content-type: application/json' \\
  -d '{"requestId": "hello", "timestamp": "${new Date().toISOString()}", "text": "My first thought", "final": true}'`,
    },
  ];
}
