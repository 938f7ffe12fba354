import type { EventFacts } from './facts.ts';

/** What people say of a step. An approval is also what an agent may wait for (`approval.ts`). */
export const ANNOTATION_KINDS = ['note', 'question', 'verdict', 'approval'] as const;
export type AnnotationKind = (typeof ANNOTATION_KINDS)[number];

export const VERDICTS = ['correct', 'partly', 'wrong'] as const;
export type Verdict = (typeof VERDICTS)[number];

export const DECISIONS = ['approved', 'denied'] as const;
export type Decision = (typeof DECISIONS)[number];

/** So many stand on one node at most: they are sent with it. */
export const MAX_ANNOTATIONS = 50;
/** As much as the graph shows of a field of an event. */
export const MAX_ANNOTATION_CHARS = 1_000;

/** One that stands, as the node has it that it is about, in `details.annotations`. */
export interface Annotation {
  readonly id: string;
  /** The node that shows it. */
  readonly nodeId: string;
  readonly kind: AnnotationKind;
  readonly text?: string;
  readonly verdict?: Verdict;
  readonly decision?: Decision;
  /** Of the options of who waits for an approval. */
  readonly option?: string;
  /** Who, for people to read: known by their access, never claimed. Absent for who may not read texts. */
  readonly by?: string;
  /** ISO 8601. */
  readonly at: string;
  /** A part of the node that it is about, in place of the whole: a thought, an alternative, a switch of model. */
  readonly partId?: string;
}

/** What somebody has to say. */
export interface NewAnnotation {
  readonly kind: AnnotationState['kind'];
  /** At most 1,000 characters; needed by notes and questions. */
  readonly text?: string | undefined;
  /** Of a verdict. */
  readonly verdict?: Verdict | undefined;
  /** Of an approval. */
  readonly decision?: Decision | undefined;
  /** Of the options of who waits for an approval. */
  readonly option?: string | undefined;
  /** The id of an annotation of the same node that this one is in place of, or withdraws. */
  readonly replaces?: string | undefined;
  /** The same again is the same annotation. */
  readonly id?: string | undefined;
}

/** What is told to who annotated. */
export interface AnnotationState extends Pick<Annotation, 'id' | 'nodeId' | 'verdict' | 'decision' | 'at'> {
  readonly by: string;
  readonly kind: AnnotationKind | 'withdrawal';
  /** What it is about. */
  readonly stepId: string;
}

/** The annotations of a node, as they stand: for readers that may be given anything there. */
export function annotationsOf(node: {
  readonly details?: { readonly [key: string]: unknown };
}): readonly Annotation[] {
  const all = node.details?.['annotations'];
  return Array.isArray(all) ? all.filter(isAnnotation) : [];
}

function isAnnotation(value: unknown): value is Annotation {
  if (typeof value !== 'object' || value === null) return false;
  const { id, kind } = value as Partial<Annotation>;
  return typeof id === 'string' && ANNOTATION_KINDS.some((one) => one === kind);
}

const OWN_EVENT = /^annotation:([0-9a-f]{32})$/;

export function annotationEventId(id: string): string {
  return `annotation:${id}`;
}

/** Of an event that annotates, under an id that only the service gives; undefined for others. */
export function annotationIdOf({ eventId }: Pick<EventFacts, 'eventId'>): string | undefined {
  return OWN_EVENT.exec(eventId)?.[1];
}
