import { OpenSpanProcessor } from 'explainability-agent/otel';

globalThis.openSpans = new OpenSpanProcessor({ heartbeatSeconds: 10 });
