import type { Clock } from '../base/clock.ts';
import type { ServiceConfig } from '../config/schema.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { ReaderApi } from '../subscriptions/reader-api.ts';
import type { Logger } from '../telemetry/logger.ts';
import { isOwnEndpoint, type OwnListeners } from '../telemetry/own-endpoint.ts';
import { Forwarder, type ForwardMetrics } from './forwarder.ts';
import type { Stage } from './stages.ts';

export interface ForwardStageOptions {
  readonly forward: ServiceConfig['forward'];
  readonly reader: ReaderApi;
  readonly nodesOf: (taskId: string) => Iterable<ExplanationNode>;
  readonly onChanged: (listener: (tasks: Iterable<string>) => void) => void;
  /** Undefined for a service without ports. */
  readonly ownListeners: () => OwnListeners | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ForwardMetrics;
}

/** Forwards what ends from its start on; nothing where no endpoint is set, or where that is the service itself. */
export function forwardStage(options: ForwardStageOptions): Stage {
  const { forward, logger, onChanged, ownListeners } = options;
  if (forward === undefined) return {};
  let forwarder: Forwarder | undefined;
  return {
    async start() {
      const { OtlpSender, otlpTarget } = await import('../telemetry/otlp-sender.ts');
      const { url, isSecure } = otlpTarget(forward.endpoint);
      const own = ownListeners();
      const address = `${url.protocol}//${url.hostname}:${url.port || (isSecure ? '443' : '80')}`;
      if (own && (await isOwnEndpoint(address, own))) {
        logger.warn({}, 'nothing is forwarded: the endpoint of `forward` is this service');
        return;
      }
      forwarder = new Forwarder({ ...options, sender: new OtlpSender(forward) });
      onChanged((tasks) => forwarder?.changed(tasks));
      logger.info({}, 'tasks that end are forwarded by OTLP');
    },
    stop: () => forwarder?.stop(),
  };
}
