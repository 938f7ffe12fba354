import { isObject, type JsonObject } from '../base/json.ts';

/** A message, and what its gateway says of it. */
export interface Received {
  readonly value: JsonObject;
  /** The space, where the gateway names it. */
  readonly space?: string;
  /** Who sent it, as the gateway knows. */
  readonly participant?: string;
}

/**
 * What a line brings: a message as it is, or one that a gateway logged in `envelope-history.jsonl`. There each stands once as
 * received and once for everybody to whom it went: only the first counts. Who joins sends its token in clear: such a line
 * is never looked into.
 * @returns undefined where there is no message
 */
export function receivedIn(line: JsonObject): Received | undefined {
  if (isJoin(line)) return undefined;
  if (!isHistoryLine(line)) return { value: line };
  const { envelope: value, event, space_id: space, participant } = line;
  if (event !== 'received' || !isObject(value) || isJoin(value)) return undefined;
  return {
    value,
    ...(typeof space === 'string' && { space }),
    ...(typeof participant === 'string' && { participant }),
  };
}

/** A line of what a gateway logs of all messages. */
export function isHistoryLine(line: JsonObject): boolean {
  return typeof line['event'] === 'string' && !('kind' in line) && ('envelope' in line || 'space_id' in line);
}

function isJoin({ type, kind }: JsonObject): boolean {
  return type === 'join' || kind === 'system/join';
}
