import { isObject, type JsonObject } from '../base/json.ts';
import type { Attributes } from '../model/attributes.ts';
import { MEW } from '../model/mew.ts';
import type { Convention, Details, OpenSpan, PartialStep, SafeSpan, Texts, Usage } from './convention.ts';
import { errorIn, speaksFor, toldFigures, toldStep } from './mew-told.ts';
import { asText, countOf, firstId, numberOf, text, textOf, wordsOf } from './read.ts';
import { conversation, ownTask, task } from './task.ts';

/** Attributes that `receivers/mew` makes of the messages of MEW. */
export const mew: Convention = {
  name: 'mew',
  signs: { keys: [MEW.kind] },
  interpret,
};

const REASONING = 'reasoning/';
const ACTIONS: ReadonlySet<string> = new Set(['cancel', 'interrupt', 'interrupt-ack']);

function interpret({ attributes: a }: SafeSpan): PartialStep {
  const kind = text(a, MEW.kind) ?? '';
  const found = a.get(MEW.payload);
  const payload: JsonObject = isObject(found) ? found : {};
  const contextPath = text(a, MEW.context);
  const stepId = text(a, MEW.step);
  const common: PartialStep = {
    application: 'MEW',
    task: taskOf(a),
    stepId: stepId === undefined ? undefined : `mew:${stepId}`,
    details: { sessionId: text(a, MEW.space), contextPath },
  };
  switch (text(a, MEW.tells)) {
    case 'message':
      return { ...common, ...messageOf(a, kind, payload, common.details ?? {}) };
    case 'end': {
      const outcome = text(a, MEW.outcome);
      const { status = outcome === undefined ? undefined : 'WARNING', ...figures } = toldFigures(payload);
      return {
        ...figures,
        type: 'OTHER',
        wrapper: true,
        endsStep: true,
        status,
        details: { outcome, errorMessage: errorIn(payload) },
        texts: { completion: asText(payload['message']), error: errorIn(payload) },
      };
    }
    case 'stop':
      return {
        type: 'OTHER',
        wrapper: true,
        status: 'WARNING',
        details: { reason: textOf(payload['reason']) },
      };
    case undefined:
    default:
      return { type: 'OTHER', wrapper: true };
  }
}

function taskOf(a: Attributes): PartialStep['task'] {
  return (
    ownTask(text(a, MEW.ownTask)) ?? task(firstId(a, [MEW.task])) ?? conversation(firstId(a, [MEW.thread]))
  );
}

function messageOf(a: Attributes, kind: string, payload: JsonObject, around: Details): PartialStep {
  const within = ancestorsOf(a, kind);
  const said = kindOf(kind, payload, within !== undefined, a.has(MEW.after));
  return {
    ...said,
    ...toldStep(payload, said),
    agent: text(a, MEW.from),
    joinsTask: within === undefined ? true : undefined,
    ancestors: within,
    usage: usageOf(payload),
    details: {
      ...around,
      // A tool call has the id of what asked for it.
      messageId: kind === 'mcp/response' ? undefined : text(a, MEW.id),
      claimedFrom: text(a, MEW.claimed),
      dependsOn: wordsOf(a.get(MEW.after)),
      speaksFor: speaksFor(payload, text(a, MEW.from)),
      ...said.details,
    },
  };
}

/** They may have been told of by nobody else: a context is what messages stand in. */
function ancestorsOf(a: Attributes, kind: string): readonly OpenSpan[] | undefined {
  const spans = wordsOf(a.get(MEW.within));
  if (spans === undefined) return undefined;
  const names = (text(a, MEW.context) ?? '').split('/');
  return spans.map((spanId, place) => ({
    spanId,
    parentSpanId: spans[place - 1],
    name: names[place] ?? kind,
  }));
}

function kindOf(kind: string, payload: JsonObject, isInContext: boolean, isAnswer: boolean): PartialStep {
  if (kind.startsWith(REASONING)) return reasoningOf(kind.slice(REASONING.length), payload);
  const message = asText(payload['message']) ?? asText(payload['text']) ?? asText(payload['content']);
  switch (kind) {
    case 'mcp/request':
      return { type: 'TOOL_CALL', ...requestOf(payload) };
    case 'mcp/response':
      return { type: 'TOOL_CALL', ...responseOf(payload) };
    case 'mcp/proposal':
      return { type: 'REFLEXION_ACTION', ...requestOf(payload) };
    case 'mcp/withdraw':
    case 'mcp/reject':
      return {
        type: 'REFLEXION_ACTION',
        status: 'WARNING',
        details: { reason: textOf(payload['reason']) },
        texts: { completion: message },
      };
    case 'chat':
      if (isInContext) return { type: 'REASONING', texts: { reasoning: message } };
      return isAnswer
        ? { type: 'OTHER', texts: { completion: message } }
        : { type: 'USER_QUERY', texts: { prompt: message } };
    default:
      return { type: 'OTHER', texts: { completion: message ?? asText(payload) } };
  }
}

/** Words of the rich kinds, of today's protocol and of the agents that speak it. */
function reasoningOf(reasoningKind: string, payload: JsonObject): PartialStep {
  const isCancelled = payload['cancelled'] === true;
  const details: Details = {
    reasoningKind,
    confidence: confidenceOf(payload),
    severity: textOf(payload['severity']),
    reason: textOf(payload['reason']),
    evidence: wordsOf(payload['evidence']),
    keyFactors: wordsOf(payload['key_factors'] ?? payload['keyFactors']),
    decision: textOf(payload['decision']),
    outcome: reasoningKind === 'interrupt-ack' ? textOf(payload['status']) : undefined,
  };
  const message = asText(payload['message']);
  if (ACTIONS.has(reasoningKind)) {
    const said = [details.reason ?? details.outcome, message].filter((word) => word !== undefined);
    return {
      type: 'REFLEXION_ACTION',
      promptSummary: said.join(': ') || undefined,
      details,
      texts: { completion: message },
    };
  }
  return {
    type: 'REASONING',
    container: reasoningKind === 'start' ? true : undefined,
    status: isCancelled ? 'WARNING' : undefined,
    details,
    texts: textsOf(payload),
  };
}

function confidenceOf({ confidence, metadata }: JsonObject): number | undefined {
  const found = numberOf(confidence) ?? (isObject(metadata) ? numberOf(metadata['confidence']) : undefined);
  return found !== undefined && found >= 0 && found <= 1 ? found : undefined;
}

/** Where what was thought stands, whoever wrote it; the first that is there. */
const THOUGHT = ['message', 'reasoning', 'content', 'hypothesis', 'goal', 'decision'] as const;

function textsOf(payload: JsonObject): Texts {
  const thought = THOUGHT.map((key) => asText(payload[key])).find((found) => found !== undefined);
  const lines = [
    thought,
    ...(wordsOf(payload['questions']) ?? []),
    labelled('Approach', payload['approach']),
    labelled('Details', payload['details']),
    labelled('Components', payload['components']),
    labelled('Recommendation', payload['recommendation']),
    labelled('Action', actionOf(payload)),
    labelled('Observation', payload['observation']),
  ].filter((line) => line !== undefined);
  return {
    prompt: asText(payload['input']),
    reasoning: lines.length === 0 ? undefined : lines.join('\n'),
  };
}

function labelled(label: string, value: unknown): string | undefined {
  const said = asText(value);
  return said === undefined ? undefined : `${label}: ${said}`;
}

function actionOf({ action, actionInput }: JsonObject): string | undefined {
  const name = textOf(action);
  return name === undefined ? undefined : `${name}${labelled('', actionInput)?.slice(1) ?? ''}`;
}

function requestOf({ method, params }: JsonObject): PartialStep {
  const named = isObject(params) ? params : {};
  const toolName = textOf(named['name']) ?? textOf(method) ?? 'mcp';
  return {
    name: toolName,
    details: { toolName, operation: textOf(method) },
    texts: {
      toolArguments: asText(named['arguments']) ?? (method === 'tools/call' ? undefined : asText(params)),
    },
  };
}

function responseOf({ result, error }: JsonObject): PartialStep {
  const isError = isObject(result) && result['isError'] === true;
  const message = isObject(error) ? (textOf(error['message']) ?? asText(error)) : asText(error);
  const given = contentOf(result);
  const problem = message ?? (isError ? given : undefined);
  return {
    status: problem === undefined ? undefined : 'ERROR',
    details: { errorMessage: problem },
    texts: { toolResult: given, error: problem },
  };
}

/** Text alone, where a tool's result is a list with one text. */
function contentOf(result: unknown): string | undefined {
  const content: unknown = isObject(result) ? result['content'] : undefined;
  const [only, second]: readonly unknown[] = Array.isArray(content) ? content : [];
  if (second === undefined && isObject(only) && only['type'] === 'text') return asText(only['text']);
  return asText(result);
}

/** Tokens may stand anywhere in a message, under any name with the word in it. */
function usageOf(payload: JsonObject, depth = 0): Usage | undefined {
  let tokensIn: number | undefined;
  let tokensOut: number | undefined;
  for (const [key, value] of Object.entries(payload)) {
    if (/token/i.test(key)) {
      if (/^(?:in|prompt)|_in$|In$/.test(key)) tokensIn ??= countOf(value);
      else if (/^(?:out|completion)|_out$|Out$/.test(key)) tokensOut ??= countOf(value);
    }
    if (!isObject(value) || depth > 0) continue;
    const inside = usageOf(value, depth + 1);
    tokensIn ??= inside?.tokensIn;
    tokensOut ??= inside?.tokensOut;
  }
  return tokensIn === undefined && tokensOut === undefined ? undefined : { tokensIn, tokensOut };
}
