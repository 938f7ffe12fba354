import { isObject, type JsonObject } from '../base/json.ts';
import type { AnnotationState } from '../model/annotation.ts';
import type { ExplanationGraph, GraphUpdate } from '../model/node.ts';
import type { ServerFrame } from '../model/reader-messages.ts';
import { ClientError } from './client-error.ts';

/**
 * What has to be true of an answer before a graph can be made of it. Fields and words that are not known here are
 * passed on as they are: the service may be newer.
 */

export function asGraph(value: unknown): ExplanationGraph {
  if (
    isObject(value) &&
    isListOf(value['nodes'], isNode) &&
    isListOf(value['edges'], isEdge) &&
    typeof value['lastUpdated'] === 'string'
  ) {
    return value as unknown as ExplanationGraph;
  }
  throw badAnswer('a graph without its fields');
}

/** @returns undefined for an event that is not known here: a newer service may send it */
export function eventOf(fields: JsonObject): Extract<ServerFrame, { readonly type: 'event' }> | undefined {
  const { name, subscriptionId, session_id, url_json, url_d2 } = fields;
  const texts = [subscriptionId, session_id, url_json, url_d2];
  if (name !== 'thoughtflow.artifacts' || !texts.every((text) => typeof text === 'string')) return undefined;
  const [subscription = '', session = '', json = '', d2 = ''] = texts;
  return {
    type: 'event',
    name,
    subscriptionId: subscription,
    session_id: session,
    url_json: json,
    url_d2: d2,
  };
}

export function annotationOf(fields: JsonObject): AnnotationState {
  if (isString(fields['id']) && isString(fields['nodeId'])) return fields as unknown as AnnotationState;
  throw badAnswer('an annotation without its fields');
}

export function asUpdate(value: unknown): GraphUpdate {
  if (
    isObject(value) &&
    isListOf(value['addedNodes'], isNode) &&
    isListOf(value['addedEdges'], isEdge) &&
    isListOf(value['removedNodeIds'], isString) &&
    isListOf(value['removedEdgeIds'], isObject) &&
    typeof value['timestamp'] === 'string'
  ) {
    return value as unknown as GraphUpdate;
  }
  throw badAnswer('an update without its fields');
}

/** @param what was received instead of an answer of this protocol */
export function badAnswer(what: string): ClientError {
  return new ClientError(
    'BAD_ANSWER',
    `the service sent ${what}: is this the readers' port (9000 by default) of an ExplainabilityAgent?`,
  );
}

function isListOf(value: unknown, is: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isNode(value: unknown): boolean {
  return isObject(value) && isString(value['id']);
}

function isEdge(value: unknown): boolean {
  return isObject(value) && isString(value['id']) && isString(value['from']) && isString(value['to']);
}
