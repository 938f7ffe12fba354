import { clip } from '../../model/one-line.ts';
import type { PromptPart } from '../../model/prompt-provenance.ts';
import type { NodeDetail } from '../../model/reader-messages.ts';
import { textHash } from '../../model/text-hash.ts';
import type { FlowItem } from './flow-item.ts';
import { sentItem } from './flow-items.ts';

/** Of what a snapshot holds, in characters: the call that was made with it has it whole. */
const MAX_PREVIEW_CHARS = 400;

/** A step, and the snapshots that are written before it. */
export interface WithSnapshots {
  readonly before: readonly FlowItem[];
  readonly step: FlowItem;
}

/** The kinds of snapshots, by the kind of part. */
const KINDS: ReadonlyMap<string, { readonly label: string; readonly id: string }> = new Map(
  Object.entries({
    system: { label: 'policy.snapshot', id: 'policy' },
    template: { label: 'context.preamble', id: 'context' },
    tools: { label: 'tool.schemas.snapshot', id: 'tools' },
  }),
);

/** The snapshots of one conversation: what holds for many calls is a step of its own, once, and they depend on it. */
export class Snapshots {
  private readonly written = new Set<string>();

  /** @param step made of the ids of the snapshots that it depends on */
  withSnapshots(detail: NodeDetail, step: (more: readonly string[]) => FlowItem): WithSnapshots {
    // Who sends ThoughtFlow writes snapshots of its own.
    const parts = sentItem(detail) ? [] : (detail.promptProvenance?.parts ?? []);
    const found = parts.flatMap((part) => snapshotOf(part, detail) ?? []);
    const before = found.filter(({ step_id: id }) => !this.written.has(id));
    for (const { step_id: id } of before) this.written.add(id);
    return { before, step: step([...new Set(found.map(({ step_id: id }) => id))]) };
  }
}

interface SnapshotItem extends FlowItem {
  readonly step_id: string;
}

function snapshotOf({ type, value }: PromptPart, { node }: NodeDetail): SnapshotItem | undefined {
  const kind = KINDS.get(type);
  if (!kind || node.type !== 'LLM_CALL') return undefined;
  const version = textHash(value, 1) ?? '0';
  const preview = clip(value, MAX_PREVIEW_CHARS);
  return {
    step_id: `snp_${kind.id}_${version}`,
    label: kind.label,
    started_at: node.timestamp,
    ended_at: node.timestamp,
    duration_ms: 0,
    payload_started:
      type === 'tools'
        ? { version, ...toolNames(value), schemas_preview: preview }
        : { version, content_preview: preview, content_length: value.length },
  };
}

function toolNames(value: string): FlowItem {
  const names = [...value.matchAll(/"name"\s{0,8}:\s{0,8}"([^"\\]{1,128})"/g)].map(([, name]) => name);
  return { count: names.length, names: names.slice(0, 128) };
}
