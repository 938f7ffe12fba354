import { isObject, type JsonObject } from '../base/json.ts';
import { TOLD, TOLD_KEY } from '../model/mew.ts';
import { NODE_STATUSES, NODE_TYPES } from '../model/node.ts';
import type { PartialStep } from './convention.ts';
import { asText, countOf, numberOf, textOf } from './read.ts';

/** What a service says of a step when it tells it by MEW, beside its words: fields that are not as they should be say nothing. */
function toldIn(payload: JsonObject): JsonObject | undefined {
  const told = payload[TOLD_KEY];
  return isObject(told) ? told : undefined;
}

/** @param said what the message says as any of its kind */
export function toldStep(payload: JsonObject, said: PartialStep): PartialStep {
  const told = toldIn(payload);
  if (told === undefined) return {};
  const type = NODE_TYPES.find((known) => known !== 'SUMMARY' && known === told[TOLD.type]);
  const { status = said.status, ...figures } = toldFigures(payload);
  return {
    ...figures,
    status,
    ...(type !== undefined && { type }),
    // It was worked out what it is, and which figures are its own.
    container: undefined,
    name: textOf(told[TOLD.name]) ?? said.name,
    texts: textsAs(type, payload, said.texts),
  };
}

export function toldFigures(payload: JsonObject): PartialStep {
  const told = toldIn(payload);
  if (told === undefined) return {};
  const [tokensIn, tokensOut] = [countOf(told[TOLD.tokensIn]), countOf(told[TOLD.tokensOut])];
  return {
    status: NODE_STATUSES.find((known) => known === told[TOLD.status]),
    requestModel: textOf(told[TOLD.model]),
    ...((tokensIn !== undefined || tokensOut !== undefined) && { usage: { tokensIn, tokensOut } }),
    costUsd: figure(told[TOLD.costUsd]),
    latencyMs: figure(told[TOLD.latencyMs]),
  };
}

/** The agent, where another one sends the message. */
export function speaksFor(payload: JsonObject, from: string | undefined): string | undefined {
  const agent = textOf(toldIn(payload)?.[TOLD.agent]);
  return agent === from ? undefined : agent;
}

export function errorIn({ error }: JsonObject): string | undefined {
  return isObject(error) ? textOf(error['message']) : undefined;
}

function figure(value: unknown): number | undefined {
  const found = numberOf(value);
  return found !== undefined && found >= 0 ? found : undefined;
}

/** Words of a step stand where those of its type do. */
function textsAs(
  type: PartialStep['type'],
  payload: JsonObject,
  texts: PartialStep['texts'] = {},
): PartialStep['texts'] {
  const error = errorIn(payload) ?? texts.error;
  const words = asText(payload['message']) ?? asText(payload['text']);
  if (type === 'USER_QUERY') return { prompt: words, error };
  if (type === 'LLM_CALL') return { completion: words, error };
  if (type === 'TOOL_CALL' && words !== undefined) return { toolArguments: words, error };
  return { ...texts, error };
}
