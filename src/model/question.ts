import { parsePruneWords } from './prune-words.ts';

/** What a person asks in words, as the command line and the page understand it. Ids are as they were written. */
export type Question =
  | WhyAsked
  | PatternsAsked
  | { readonly ask: 'spikes'; readonly taskId?: string }
  | { readonly ask: 'prune'; readonly olderThanMinutes: number }
  | { readonly ask: 'expand'; readonly taskId?: string }
  | { readonly ask: 'summary'; readonly taskId?: string };

export interface WhyAsked {
  readonly ask: 'why';
  /** A test that failed, or whatever did. */
  readonly about: 'test' | 'failure';
  /** Of a test: what stands in its name. */
  readonly name?: string;
  readonly taskId?: string;
  readonly nodeId?: string;
}

export interface PatternsAsked {
  readonly ask: 'patterns';
  /** Which kind of patterns, in the words of `kindWords`; absent: all. */
  readonly of?: 'tool' | 'model' | 'agent' | 'step';
  readonly taskId?: string;
}

/** One of each kind that is understood, for who asked something else. @param run how the run is called that they are about */
export function exampleQuestions(run: string): readonly string[] {
  return [
    'Show me why this test failed',
    `Why did ${run} fail?`,
    'Which tools fail most?',
    'Highlight cost spikes',
    'Prune nodes older than 5 minutes',
    `Expand reasoning for ${run}`,
    `What happened in ${run}?`,
  ];
}

/** Where no run is in sight. */
export const QUESTIONS = exampleQuestions('task T012');

/** Longer texts are no question. */
const MAX_CHARS = 500;

/**
 * What is asked, by stated words: no model reads it. Any words may stand around those that count, except where pruning
 * is asked for.
 * @returns undefined when it is not understood
 */
export function parseQuestion(text: string): Question | undefined {
  if (text.length > MAX_CHARS) return undefined;
  const minutes = parsePruneWords(text);
  if (minutes !== undefined)
    return minutes === 'unclear' ? undefined : { ask: 'prune', olderThanMinutes: minutes };
  const names = namesIn(text);
  const words = names.rest
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .replaceAll(/[^\p{L}\p{N}.%]+/gu, ' ');
  // Who says what not to do has not said what to do.
  if (/\b(?:do not|dont|never|without)\b/.test(words)) return undefined;
  return (
    expand(words, names) ??
    patterns(words, names) ??
    why(words, names) ??
    spikes(words, names) ??
    summary(words, names)
  );
}

interface Names {
  readonly taskId?: string;
  readonly nodeId?: string;
  /** What stands in quotes and is no task. */
  readonly quoted?: string;
  /** The text without them. */
  readonly rest: string;
}

const QUOTED = /["“”„]([^"“”„]+)["“”„]|'([^']+)'(?!\w)|`([^`]+)`/;
/** Of a span, a request, or an event. */
const NODE = /(?<!\S)(?:[0-9a-f]{32}:[0-9a-f]{16}|(?:req|event|metric):[^\s?!,;]+)/i;
const AFTER_TASK = /\b(?:task|run|trace)(?:\s+(?:id|number|no\.?|called|named))?\s*[:=#]?\s+([^\s?!,;]+)/i;
const AFTER_NODE = /\b(?:node|step)(?:\s+(?:id|called|named))?\s*[:=#]?\s+([^\s?!,;]+)/i;
/** A trace, or what looks like a number of a task: `T012`, `run-7`, `JIRA-123`. */
const LIKE_TASK = /(?<![\w.-])(?:[0-9a-f]{32}|[A-Za-z][\w.:/-]*\d[\w.:/-]*)(?![\w-])/;

function namesIn(text: string): Names {
  let rest = text.trim();
  const take = (pattern: RegExp, isName: (name: string) => boolean = () => true): string | undefined => {
    const match = pattern.exec(rest);
    const name = match?.slice(1).find((group) => group !== undefined) ?? match?.[0];
    if (!match || name === undefined || !isName(name)) return undefined;
    rest = `${rest.slice(0, match.index)} ${match[0].slice(0, match[0].indexOf(name)).replace(/["“„'`]$/, '')} ${rest.slice(match.index + match[0].length)}`;
    return name;
  };
  const quote = QUOTED.exec(rest);
  const isTask =
    quote !== null && /\b(?:task|run|trace)\s+(?:(?:id|called|named)\s+)?$/i.test(rest.slice(0, quote.index));
  const quoted = take(QUOTED);
  const nodeId = take(NODE) ?? take(AFTER_NODE, isId);
  const taskId = (isTask ? quoted : undefined) ?? take(AFTER_TASK, isId) ?? take(LIKE_TASK, isId);
  return {
    rest,
    ...(nodeId !== undefined && { nodeId: trimmed(nodeId) }),
    ...(taskId !== undefined && { taskId: trimmed(taskId) }),
    ...(quoted !== undefined && !isTask && { quoted }),
  };
}

/** A word that is no English: ids have a digit, a sign, or capitals inside. */
function isId(word: string): boolean {
  return (
    /[\d_:#/]|\w-\w|[a-z][A-Z]|^[A-Z]{2,}$|^[0-9a-f]{32}$/.test(trimmed(word)) &&
    !/^\d+(?:\.\d+)?%?$|^\d+(?:ms|s|m|h|d)$/i.test(word)
  );
}

function trimmed(word: string): string {
  return word.replace(/[.:)\]]+$/, '').replace(/^[([]+/, '');
}

const OPEN = anyOf('expand|unfold|open|unroll|uncollapse|reveal|drill');
const THOUGHTS = anyOf('reasoning|thoughts?|think|thinking|thought|cot|(?:did|does) \\w+ \\w+ reason');
const PARTS = anyOf('steps?|nodes?|details?|tree|everything');
const WHOLE = anyOf('all|every|everything|full|whole|complete|entire');
const SHOW = anyOf('show|see|give|display|list|print|what|how|read|walk|through');

/** All of a task, nothing folded. */
function expand(words: string, names: Names): Question | undefined {
  const isNamed = THOUGHTS.test(words) || PARTS.test(words) || names.taskId !== undefined;
  const isOpened = OPEN.test(words) && isNamed;
  const isShown = SHOW.test(words) && (THOUGHTS.test(words) || (WHOLE.test(words) && PARTS.test(words)));
  if (!(isOpened || isShown) || FAILED.test(words) || MEASURE.test(words)) return undefined;
  return { ask: 'expand', ...ofTask(names) };
}

const CAUSE = anyOf(
  'why|whys|how come|causes?|caused|reasons?|culprit|blame|responsible|explain|diagnose|debug|investigate|tell|show|understand|what|whats|which|who|whose',
);
const WHY = anyOf('why|whys');
const FAILED = anyOf('fail\\w*|broke|broken|breaks?|error\\w*|wrong|crash\\w*|red|bug|at fault');
const TEST = anyOf('tests?|testing|suite|spec|checks?|assertion');
/** So few words ask about what is in sight: `why`, `why this step?`. */
const FEW_WORDS = 4;

/** The cause of a failure; that of a cost is asked for as a spike. */
function why(words: string, names: Names): Question | undefined {
  const isBare = WHY.test(words) && words.trim().split(' ').length <= FEW_WORDS;
  const isAsked = CAUSE.test(words) && (FAILED.test(words) || (WHY.test(words) && TEST.test(words)));
  if (!isAsked && !isBare) return undefined;
  if (!FAILED.test(words) && MEASURE.test(words)) return undefined;
  const isTest = TEST.test(words);
  return {
    ask: 'why',
    about: isTest ? 'test' : 'failure',
    ...ofTask(names),
    ...(names.nodeId !== undefined && { nodeId: names.nodeId }),
    ...(isTest && names.quoted !== undefined && { name: names.quoted }),
  };
}

/** Not what failed most recently, nor the most likely cause. */
const OFTEN = anyOf(
  'most(?= (?:often|frequent|common|of|in|across|over|error|fail)| *$)|often|frequent\\w*|usually|in common|patterns?',
);

const KIND = /\b(tool|model|agent|step)s?\b/;

/** What fails in many runs; why something fails often is asked of one failure. */
function patterns(words: string, names: Names): Question | undefined {
  const isAsked = OFTEN.test(words) && FAILED.test(words) && !WHY.test(words);
  if (!isAsked) return undefined;
  const of = KIND.exec(words)?.[1] as PatternsAsked['of'];
  return { ask: 'patterns', ...(of !== undefined && { of }), ...ofTask(names) };
}

const MEASURE = anyOf(
  'cost\\w*|expensive\\w*|dear\\w*|pric\\w*|money|(?:over)?spen[dt]\\w*|dollars?|budget|tokens?|slow\\w*|latenc\\w*|so long|too long|longest',
);
const UNUSUAL = anyOf(
  'spik\\w*|outliers?|peaks?|anomal\\w*|abnormal\\w*|unusual\\w*|stands? out|hot ?spots?',
);
const MOST = anyOf(
  'most|high|highest|biggest|largest|too|so|why|where|what|whats|which|expensive|costl\\w*|dearest|slow\\w*|longest|highlight|mark',
);

/** The slowest path of a task is no single step that stands out. */
const PATH = /\bpath\b/;

function spikes(words: string, names: Names): Question | undefined {
  if (PATH.test(words)) return undefined;
  const isAsked = UNUSUAL.test(words) || (MEASURE.test(words) && MOST.test(words));
  return isAsked ? { ask: 'spikes', ...ofTask(names) } : undefined;
}

const TELL = anyOf(
  'summar\\w*|recap|overview|tl ?dr|in words|sum up|what happened|what was done|what did (?:it|they|the agents?) do|tell me about|describe|whats going on|what is going on|how much',
);

function summary(words: string, names: Names): Question | undefined {
  const isExplained = /\bexplain\b/.test(words) && names.taskId !== undefined;
  return TELL.test(words) || isExplained ? { ask: 'summary', ...ofTask(names) } : undefined;
}

function anyOf(words: string): RegExp {
  return new RegExp(`\\b(?:${words})\\b`);
}

function ofTask({ taskId }: Names): { readonly taskId?: string } {
  return taskId === undefined ? {} : { taskId };
}
