/** Ids of what is told of a node: each begins with its kind, so that no two kinds ever share one. */

export function textId(nodeId: string): string {
  return `text:${nodeId}`;
}

export function reasoningId(nodeId: string): string {
  return `reasoning:${nodeId}`;
}

/** Of the span around the messages of a thought. */
export function thinkingId(messageId: string): string {
  return `thinking:${messageId}`;
}

export function toolCallId(nodeId: string): string {
  return `call:${nodeId}`;
}

export function resultId(nodeId: string): string {
  return `result:${nodeId}`;
}

export function activityId(nodeId: string): string {
  return `activity:${nodeId}`;
}

/** @param call counts the calls of sub-agents in a run */
export function agentRunId(call: number, agent: string): string {
  return `agent:${call}:${agent}`;
}

/** The next message of a thing that has had others: `text:x`, `text#2:x`. */
export function furtherId(id: string, count: number): string {
  return count <= 1 ? id : id.replace(':', `#${count}:`);
}
