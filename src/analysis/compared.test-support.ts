import { Pace } from '../base/pace.ts';
import { systemClock } from '../base/clock.ts';
import { CausalGraph } from '../graph/causal-graph.ts';
import type { CompareAnswer } from '../model/compare.ts';
import type { StepTexts } from '../model/facts.ts';
import { edgeId } from '../model/ids.ts';
import type { ExplanationNode } from '../model/node.ts';
import { compareTasks } from './compare.ts';

/** A step as tests tell it; what is inside comes in order. */
export interface Planned extends Partial<Omit<ExplanationNode, 'id' | 'taskId'>> {
  /** Tells it from all others of its task. */
  readonly n: number;
  readonly texts?: StepTexts;
  readonly inside?: readonly Planned[];
}

export function idOf(taskId: string, n: number): string {
  return `${taskId}:${n}`;
}

/** A graph of such tasks, and what their steps say. */
export class PlannedTasks {
  readonly graph = new CausalGraph();
  private readonly texts = new Map<string, StepTexts>();
  private now = Date.parse('2026-01-01T00:00:00Z');

  readonly textsOf = (id: string): StepTexts => this.texts.get(id) ?? {};

  /** Each step begins after those before it. */
  add(taskId: string, steps: readonly Planned[]): this {
    const open = steps.toReversed().map((step) => ({ step, parent: undefined as string | undefined }));
    for (let next = open.pop(); next; next = open.pop()) {
      const { n, texts, inside = [], ...fields } = next.step;
      const id = idOf(taskId, n);
      this.now += 1;
      this.graph.putNode({
        id,
        taskId,
        timestamp: new Date(this.now).toISOString(),
        agent: 'CoderAgent',
        type: 'OTHER',
        name: 'step',
        title: `step ${n}`,
        state: 'ENDED',
        status: 'OK',
        ...fields,
      });
      if (texts) this.texts.set(id, texts);
      const { parent } = next;
      if (parent !== undefined) {
        const [relation, evidence] = ['NEXT_STEP', 'parentSpanId'] as const;
        this.graph.putInEdges(id, [
          { id: edgeId(parent, relation, id), from: parent, to: id, relation, evidence },
        ]);
      }
      for (const step of inside.toReversed()) open.push({ step, parent: id });
    }
    return this;
  }

  compare(a: string, b: string, pace = new Pace(systemClock)): Promise<CompareAnswer> {
    return compareTasks(this.graph, a, b, async () => this.textsOf, pace);
  }
}

/** Each step as numbers of both sides, with what differs. */
export function rowsOf({ steps }: CompareAnswer): readonly string[] {
  return steps.map(({ a, b, differs }) => [`${numberIn(a)}=${numberIn(b)}`, ...differs].join(' '));
}

function numberIn(id: string | undefined): string {
  return id?.slice(id.indexOf(':') + 1) ?? '-';
}
