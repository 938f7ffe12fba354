import { systemClock, type Clock } from '../base/clock.ts';
import { Pace } from '../base/pace.ts';
import type { ServiceConfig } from '../config/schema.ts';
import { BUILTIN_RULES } from '../redaction/rules/builtin.ts';
import type { Logger } from '../telemetry/logger.ts';
import { OwnTelemetry } from '../telemetry/own-telemetry.ts';
import { OwnMessages } from '../receivers/mew/own-messages.ts';
import { ControlPlaces } from './interrupts/control-places.ts';
import type { Stages } from './stages.ts';

export interface ServiceOptions {
  readonly config: ServiceConfig;
  /** For `OTEL_*`. */
  readonly env: { readonly [name: string]: string | undefined };
  readonly version: string;
  readonly logger: Logger;
}

/** What there is once in a process, whatever it serves. */
export interface SharedParts {
  readonly clock: Clock;
  /** How long work is cut into pieces: what all do in one turn adds up. */
  readonly pace: Pace;
  readonly logger: Logger;
  readonly telemetry: OwnTelemetry;
  readonly controlPlaces: ControlPlaces;
  /** Of MEW. */
  readonly ownMessages: OwnMessages;
}

/** The own telemetry is a started stage, so that it ends last. */
export async function openShared(
  { env, version, logger }: Omit<ServiceOptions, 'config'>,
  stages: Stages,
): Promise<SharedParts> {
  const clock = systemClock;
  const redactionRules = BUILTIN_RULES.map((rule) => rule.id);
  const telemetry = new OwnTelemetry({ env, logger, version, redactionRules });
  await stages.start({ stop: () => telemetry.shutdown() });
  return {
    clock,
    pace: new Pace(clock),
    logger,
    telemetry,
    controlPlaces: new ControlPlaces(),
    ownMessages: new OwnMessages(),
  };
}
