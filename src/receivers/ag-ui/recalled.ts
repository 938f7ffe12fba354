import type { JsonObject } from '../../base/json.ts';
import { spanKey } from '../../model/ids.ts';
import type { NodeDetail } from '../../model/reader-messages.ts';
import { startOf } from '../../model/in-time.ts';
import { epochMs } from '../../model/time.ts';
import type { AgUiEvent } from './read-event.ts';
import { keep, spanIdOf, thingOf, type Run, type Thing } from './run.ts';

/** What is kept of a step, as readers see it; undefined where there is none. */
export type StepOf = (sourceKey: string) => Promise<NodeDetail | undefined>;

/** Steps of one body that are looked for in the store: more than go on at a restart. */
const MAX_RECALLED = 256;
/** What other events of it do not say again. */
const ATTRIBUTES = ['agui.tool', 'agui.call', 'agui.arguments', 'agui.result', 'agui.error'] as const;

/**
 * Of steps that began before the service was started and go on in one body the store knows the beginning. Without it the
 * end of a step, which is its last word, would say less than what had been acknowledged.
 */
export class Recalled {
  private readonly stepOf: StepOf | undefined;
  private left = MAX_RECALLED;

  constructor(stepOf: StepOf | undefined) {
    this.stepOf = stepOf;
  }

  /** To be awaited before the event is taken into its run. */
  async lookUp(run: Run, event: AgUiEvent): Promise<void> {
    const meant = meantBy(event);
    if (!run.isImplied || !meant || thingOf(run, meant.kind, meant.id) || this.left === 0) return;
    this.left--;
    const spanId = spanIdOf(run.rootSpanId, meant.kind, meant.id, '0');
    const found = await this.stepOf?.(spanKey(run.traceId, spanId));
    if (!found) return;
    const { node, attributes } = found;
    const own = attributes?.[spanId] ?? {};
    const parent = node.details?.['parentSpanId'];
    keep(run, {
      ...meant,
      spanId,
      parentSpanId: typeof parent === 'string' ? parent : run.rootSpanId,
      name: node.name,
      start: epochMs(startOf(node)),
      isOpen: node.state === 'RUNNING',
      isRecalled: true,
      n: 0,
      attributes: Object.fromEntries(ATTRIBUTES.flatMap((name) => entryOf(own, name))),
      links: [],
      args: '',
      partner: undefined,
      says: 'reasoning',
    });
  }
}

/** The step that an event goes on with, or ends. */
function meantBy({ type, fields }: AgUiEvent): Pick<Thing, 'kind' | 'id' | 'lane'> | undefined {
  const { toolCallId, stepName, subagentRunId } = fields;
  const lane = typeof subagentRunId === 'string' ? subagentRunId : '';
  const isOfTool = type === 'TOOL_CALL_ARGS' || type === 'TOOL_CALL_END' || type === 'TOOL_CALL_RESULT';
  if (isOfTool && typeof toolCallId === 'string') return { kind: 'tool', id: toolCallId, lane };
  if (type !== 'STEP_FINISHED' || typeof stepName !== 'string') return undefined;
  return { kind: 'step', id: `${lane} ${stepName}`, lane };
}

function entryOf(own: JsonObject, name: string): readonly (readonly [string, string])[] {
  const value = own[name];
  return typeof value === 'string' ? [[name, value]] : [];
}
