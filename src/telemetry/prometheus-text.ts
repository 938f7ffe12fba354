import { type HrTime, ValueType } from '@opentelemetry/api';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import { ALL_INSTRUMENTS, type Instrument, LATENCY_BUCKETS } from './instruments.ts';

export const PROMETHEUS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** No scope labels: there is one scope. */
const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);

/**
 * The collected metrics as Prometheus text. An instrument that has measured nothing yet is shown with 0, where
 * the SDK would leave it out: a dashboard or an alert can be made before the first traffic.
 */
export function prometheusText(collected: ResourceMetrics): string {
  const measured = collected.scopeMetrics.flatMap((scope) => scope.metrics);
  const names = new Set(measured.filter((m) => m.dataPoints.length > 0).map((m) => m.descriptor.name));
  const missing = ALL_INSTRUMENTS.filter((instrument) => !names.has(instrument.name)).map(nothingMeasured);
  const all = [...measured.filter((m) => m.dataPoints.length > 0), ...missing];
  all.sort((a, b) => (a.descriptor.name < b.descriptor.name ? -1 : 1));
  return serializer.serialize({
    resource: collected.resource,
    scopeMetrics: [{ scope: collected.scopeMetrics[0]?.scope ?? { name: 'explain' }, metrics: all }],
  });
}

const NO_TIME: HrTime = [0, 0];

function nothingMeasured(instrument: Instrument): MetricData {
  const { name, unit, description } = instrument;
  const common = {
    descriptor: { name, unit, description, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const point = { startTime: NO_TIME, endTime: NO_TIME, attributes: {} };
  switch (instrument.kind) {
    case 'counter':
      return {
        ...common,
        dataPointType: DataPointType.SUM,
        isMonotonic: true,
        dataPoints: [{ ...point, value: 0 }],
      };
    case 'gauge':
      return {
        ...common,
        dataPointType: DataPointType.GAUGE,
        dataPoints: [{ ...point, value: 0 }],
      };
    case 'histogram': {
      const counts = Array.from({ length: LATENCY_BUCKETS.length + 1 }, () => 0);
      const buckets = { boundaries: [...LATENCY_BUCKETS], counts };
      return {
        ...common,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: [{ ...point, value: { buckets, count: 0, sum: 0 } }],
      };
    }
  }
}
