import { AG_UI_EVENTS } from '../model/ag-ui-events.ts';
import { canonicalAgent } from '../model/agent.ts';
import type { StepTexts } from '../model/facts.ts';
import type { ExplanationNode } from '../model/node.ts';
import { firstLine, MAX_SUMMARY_CHARS } from '../model/one-line.ts';
import { namesOnly } from './without-text.ts';

/** How much of what an agent thinks readers see: all, one line of each thought, nothing. */
export type Seen = 'full' | 'summary' | 'hidden';

/** What nodes say that was read out of a thought. */
const OF_THOUGHTS = ['why', 'how', 'alternatives', 'confidence', 'evidence', 'keyFactors'] as const;

/** What is kept beside the graph for a node. */
export interface Brought {
  readonly texts?: StepTexts;
  readonly attributes?: { readonly [key: string]: unknown };
}

/**
 * What readers may see of the thoughts of each agent. It is asked where what is kept becomes what is read, and nowhere else:
 * when a node is made, or read from the store, and when its texts and attributes are.
 */
export class Visibility {
  private readonly byAgent: ReadonlyMap<string, Seen>;
  private readonly others: Seen;
  /** Nothing is hidden of anybody. */
  readonly isFull: boolean;

  /** @param rules by agent; `*` is for all others */
  constructor(rules: { readonly [agent: string]: Seen } = {}) {
    this.others = rules['*'] ?? 'full';
    this.byAgent = new Map(Object.entries(rules).map(([agent, seen]) => [canonicalAgent(agent), seen]));
    this.isFull = [this.others, ...this.byAgent.values()].every((seen) => seen === 'full');
  }

  of(agent: string): Seen {
    return this.isFull ? 'full' : (this.byAgent.get(canonicalAgent(agent)) ?? this.others);
  }

  /** A node as readers see it. */
  node(node: ExplanationNode): ExplanationNode {
    const seen = this.of(node.agent);
    if (seen === 'full') return node;
    const { details = {}, promptSummary, ...bare } = node;
    const left = Object.fromEntries(
      Object.entries(details).filter(
        ([key]) =>
          !OF_THOUGHTS.some((name) => name === key) &&
          // Of a tool call it is what somebody said to it; of reasoning what it came to.
          !(key === 'decision' && node.type === 'REASONING'),
      ),
    );
    // All steps of a thought together are the thought.
    const isStep = node.type === 'REASONING' && details['partOf'] !== undefined;
    if (seen === 'summary' && !isStep) return { ...node, details: left };
    const isSummary = node.type === 'REASONING' || details['promptSummaryOf'] === 'thought';
    const isTitle = isSummary || details['titleOf'] === 'thought' || details['thoughtChars'] !== undefined;
    return {
      ...bare,
      ...(!isSummary && promptSummary !== undefined && { promptSummary }),
      title: isTitle ? node.name : node.title,
      details: left,
    };
  }

  /** Texts and attributes of a node as readers see them. */
  brought<T extends Brought>(node: ExplanationNode | undefined, value: T): T {
    if (this.isFull) return value;
    return {
      ...value,
      ...(value.texts && { texts: this.texts(node, value.texts) }),
      ...(value.attributes && { attributes: this.attributes(node, value.attributes) }),
    };
  }

  texts(node: ExplanationNode | undefined, texts: StepTexts): StepTexts {
    const seen = node ? this.of(node.agent) : this.others;
    const { reasoning, ...rest } = texts;
    if (seen === 'full' || reasoning === undefined) return texts;
    return seen === 'hidden' ? rest : { ...rest, reasoning: firstLine(reasoning, MAX_SUMMARY_CHARS) };
  }

  /** Of an agent whose thoughts are not shown, figures and names: any other attribute may hold one. */
  attributes(
    node: ExplanationNode | undefined,
    attributes: { readonly [key: string]: unknown },
  ): { readonly [key: string]: unknown } {
    const seen = node ? this.of(node.agent) : this.others;
    const { [AG_UI_EVENTS]: events, ...rest } = attributes;
    const left = this.isFull || seen === 'full' ? rest : namesOnly(rest);
    // Those of a run tell of its sub-agents, too.
    return events === undefined
      ? left
      : { ...left, [AG_UI_EVENTS]: this.isFull ? events : withoutThoughts(events) };
  }
}

/** Members of events of AG-UI that repeat what was thought, in words or as a provider sent it. */
const RAW: ReadonlySet<string> = new Set(['rawEvent', 'raw_event']);
const MAX_DEPTH = 32;

/** Kept events without the reasoning that whole conversations and raw events repeat. */
function withoutThoughts(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => withoutThoughts(item, depth + 1));
  const object = value as { readonly [key: string]: unknown };
  const isThought = object['role'] === 'reasoning';
  const isRaw = object['type'] === 'RAW';
  return Object.fromEntries(
    Object.entries(object)
      .filter(([key]) => !RAW.has(key) && !(isRaw && key === 'event') && !(isThought && key === 'content'))
      .map(([key, item]) => [key, withoutThoughts(item, depth + 1)]),
  );
}
