import type { ExplanationNode } from './node.ts';

interface Last {
  /** Epoch ms: when the last failed one ended, and when the last one began that went well. */
  failed: number;
  well: number;
}

/** Whether what failed in a task went well when it was done again. Steps come in any order. */
export class Recovery {
  /** By agent, then by the tool or name. */
  private readonly lasts = new Map<string, Map<string, Last>>();
  private hasFailedRoot = false;

  add({ status, agent, name, latencyMs, details }: ExplanationNode, start: number, isRoot: boolean): void {
    if (status === 'ERROR' && isRoot) this.hasFailedRoot = true;
    const tool = details?.['toolName'];
    const what = typeof tool === 'string' ? tool : name;
    const ofAgent = this.lasts.get(agent) ?? new Map<string, Last>();
    this.lasts.set(agent, ofAgent);
    const last = ofAgent.get(what) ?? { failed: -Infinity, well: -Infinity };
    ofAgent.set(what, last);
    if (status === 'ERROR') last.failed = Math.max(last.failed, start + (latencyMs ?? 0));
    else last.well = Math.max(last.well, start);
  }

  /** Something failed, no root did, and after each step that failed its agent did the same again, well. */
  get isComplete(): boolean {
    if (this.hasFailedRoot) return false;
    let hasFailed = false;
    for (const ofAgent of this.lasts.values()) {
      for (const { failed, well } of ofAgent.values()) {
        if (well < failed) return false;
        hasFailed ||= failed > -Infinity;
      }
    }
    return hasFailed;
  }
}
