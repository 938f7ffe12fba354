import type { NodeDetail } from '../../model/reader-messages.ts';
import type { FlowItem } from './flow-items.ts';

/** A step, and the snapshots that are written before it. */
export interface WithSnapshots {
  readonly before: readonly FlowItem[];
  readonly step: FlowItem;
}

export class Snapshots {
  withSnapshots(detail: NodeDetail, step: (more: readonly string[]) => FlowItem): WithSnapshots {
    return { before: [], step: step([]) };
  }
}
