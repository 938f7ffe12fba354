import type { Attributes } from '../model/attributes.ts';
import type { NodeStatus, NodeType } from '../model/node.ts';
import { agentOfComponent } from '../model/agent.ts';
import type { Convention, Details, PartialStep, SafeSpan, Usage } from './convention.ts';
import {
  asText,
  firstCost,
  firstCount,
  firstDuration,
  firstId,
  firstPresent,
  firstText,
  numberOf,
  wordsOf,
  type Keys,
} from './read.ts';
import { ownTask, task } from './task.ts';

/**
 * The project's own attributes, as the spans of ModelAdapter, CoderAgent and CriticAgent carry them (spec 2.1.2
 * and 5): `component`, `model.name`, `tokens.in`, `latency.ms`, `cost.usd`, … Each is accepted with dots, with
 * underscores and in camel case. They win over every other convention.
 */
const REQUEST_ID = ['requestId', 'request_id', 'request.id', 'requestID'];
/** Others mean tasks of theirs by `task_id`, of which a run has many. */
const TASK_ID = ['task_id'];
const OWN_TASK_ID = [
  'taskID',
  'taskId',
  'task.id',
  'ai.telemetry.metadata.taskID',
  'ai.settings.context.taskID',
  'ai.settings.context.taskId',
];
/** The chain of thought, where it is sent with the span and not as a log. */
const THOUGHT = [
  'reasoning',
  'cot.text',
  'cot',
  'thought',
  'chain_of_thought',
  'chainOfThought',
  'reasoning.text',
];
const MODEL = ['model.name', 'modelName'];
const TOKENS_IN = spellings('tokens.in');
const TOKENS_OUT = spellings('tokens.out');
const LATENCY = spellings('latency.ms');
const COST = spellings('cost.usd');
const ISSUES = spellings('issues.count');
const RULE_ID = ['ruleId', ...spellings('rule.id')];
const TEST_SUITE = [...spellings('test.suite'), 'test.suite.name'];
const TEST_NAME = [...spellings('test.name'), 'test.case.name'];
const TESTS_FAILED = spellings('tests.failed');
const TESTS_PASSED = spellings('tests.passed');
const TESTS_TOTAL = spellings('tests.total');
const COVERAGE = ['coverage', ...spellings('test.coverage')];
const TEST_STATUS = ['test.case.result.status', 'test.suite.run.status', ...spellings('test.status')];
const OLD_MODEL = [...spellings('old.model'), 'model.old'];
const NEW_MODEL = [...spellings('new.model'), 'model.new'];
/** Ids of what a step waited for: node ids, request ids, event ids, span ids. */
const DEPENDS_ON = ['depends_on', 'dependsOn', 'depends.on'];
const SEVERITY = ['severity'];
const FILE = ['file', 'file.path'];
const LINE = ['line', 'line.number', 'file.line'];
const REASON = ['reason', 'switch.reason'];
const TEST_SIGNS = [
  ...TEST_SUITE,
  ...TEST_NAME,
  ...TESTS_FAILED,
  ...TESTS_PASSED,
  ...TESTS_TOTAL,
  ...TEST_STATUS,
  'coverage',
];

export const spec: Convention = {
  name: 'explainability-agent',
  signs: {
    keys: [
      'component',
      ...REQUEST_ID,
      ...OWN_TASK_ID,
      ...TASK_ID,
      ...MODEL,
      ...TOKENS_IN,
      ...TOKENS_OUT,
      ...LATENCY,
      ...COST,
      ...ISSUES,
      ...RULE_ID,
      ...DEPENDS_ON,
      ...OLD_MODEL,
      ...NEW_MODEL,
      ...TEST_SIGNS,
    ],
    keyPrefixes: ['critic.'],
    namePrefixes: ['critic.', 'reasoning.', 'reasoning_'],
  },
  interpret,
};

/** `latency.ms`, `latency_ms` and `latencyMs`. */
function spellings(dotted: string): Keys {
  const camel = dotted.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());
  return [dotted, dotted.replaceAll('.', '_'), camel];
}

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const usage = usageOf(a);
  const model = firstText(a, MODEL) ?? (a.has('component') ? firstText(a, ['model_name']) : undefined);
  const component = firstText(a, ['component']);
  const details = detailsOf(a);
  return {
    type: typeOf(span, details, model !== undefined || usage !== undefined),
    agent: component === undefined ? undefined : agentOfComponent(component),
    responseModel: model,
    requestId: firstId(a, REQUEST_ID),
    task: ownTask(firstId(a, OWN_TASK_ID)) ?? task(firstId(a, TASK_ID)),
    usage,
    costUsd: firstCost(a, COST),
    latencyMs: firstDuration(a, LATENCY),
    status: statusOf(a, details),
    promptSummary: firstText(a, ['promptSummary', 'prompt.summary', 'prompt_summary']),
    details,
    texts: {
      prompt: asText(firstPresent(a, ['prompt', 'prompt.text'])),
      completion: asText(firstPresent(a, ['completion', 'completion.text'])),
      reasoning: asText(firstPresent(a, THOUGHT)),
    },
  };
}

function usageOf(a: Attributes): Usage | undefined {
  const tokensIn = firstCount(a, TOKENS_IN);
  const tokensOut = firstCount(a, TOKENS_OUT);
  return tokensIn === undefined && tokensOut === undefined ? undefined : { tokensIn, tokensOut };
}

function typeOf(span: SafeSpan, details: Details, hasModelOrTokens: boolean): NodeType | undefined {
  const a = span.attributes;
  if (details.oldModel !== undefined && details.newModel !== undefined) return 'MODEL_SWITCH';
  // Code that a model wrote may come with the number of issues found in it.
  if (hasModelOrTokens && span.name.startsWith('coder.')) return 'LLM_CALL';
  if (REASONING_STEP.test(span.name)) return hasModelOrTokens ? 'LLM_CALL' : 'REFLEXION_ACTION';
  if (details.testSuite !== undefined || details.testName !== undefined) return 'TEST_RUN';
  if (details.issuesCount !== undefined || details.ruleId !== undefined) return 'STATIC_ANALYSIS';
  if (span.name.startsWith('critic.') || hasKeyUnder(a, 'critic.')) return 'STATIC_ANALYSIS';
  if (details !== NO_DETAILS && TEST_SIGNS.some((key) => a.has(key))) return 'TEST_RUN';
  return hasModelOrTokens ? 'LLM_CALL' : undefined;
}

/** What the ReasoningAgent does: it plans, votes on plans, reflects on them, and reasons again. */
const REASONING_STEP = /^reasoning[._](?:plan|vote|reflect|recurs|critique|select)/;

function hasKeyUnder(a: Attributes, prefix: string): boolean {
  for (const key of a.keys()) if (key.startsWith(prefix)) return true;
  return false;
}

/** Beside these, most spans have none of the details: then they are not looked for one by one. */
const DETAIL_KEYS = new Set([
  ...ISSUES,
  ...RULE_ID,
  ...SEVERITY,
  ...FILE,
  ...LINE,
  ...TEST_SIGNS,
  ...COVERAGE,
  ...OLD_MODEL,
  ...NEW_MODEL,
  ...REASON,
  ...DEPENDS_ON,
]);

function detailsOf(a: Attributes): Details {
  const status = firstText(a, ['status']);
  const originalStatus = status !== undefined && !STATUSES.has(status.toUpperCase()) ? status : undefined;
  for (const key of a.keys()) if (DETAIL_KEYS.has(key)) return { ...findingOf(a), originalStatus };
  return originalStatus === undefined ? NO_DETAILS : { originalStatus };
}

const NO_DETAILS: Details = {};

function findingOf(a: Attributes): Details {
  return {
    issuesCount: firstCount(a, ISSUES),
    ruleId: firstText(a, RULE_ID),
    severity: firstText(a, SEVERITY),
    file: firstText(a, FILE),
    line: firstCount(a, LINE),
    testSuite: firstText(a, TEST_SUITE),
    testName: firstText(a, TEST_NAME),
    testsPassed: firstCount(a, TESTS_PASSED),
    testsFailed: firstCount(a, TESTS_FAILED),
    coverage: coverageOf(a),
    oldModel: firstText(a, OLD_MODEL),
    newModel: firstText(a, NEW_MODEL),
    reason: firstText(a, REASON),
    dependsOn: wordsOf(firstPresent(a, DEPENDS_ON)),
  };
}

/** A share (0 to 1) or a percentage, as the sender gives it. */
function coverageOf(a: Attributes): number | undefined {
  for (const key of COVERAGE) {
    const value = numberOf(a.get(key));
    if (value !== undefined && value >= 0 && value <= 100) return value;
  }
  return undefined;
}

const STATUSES: ReadonlyMap<string, NodeStatus> = new Map([
  ['OK', 'OK'],
  ['ERROR', 'ERROR'],
  ['WARNING', 'WARNING'],
  ['SKIPPED', 'SKIPPED'],
]);

/** Words that senders use beyond the spec's four. */
const OTHER_STATUSES: ReadonlyMap<string, NodeStatus> = new Map([
  ['SUCCESS', 'OK'],
  ['SUCCEEDED', 'OK'],
  ['PASS', 'OK'],
  ['PASSED', 'OK'],
  ['COMPLETED', 'OK'],
  ['DONE', 'OK'],
  ['CLEAN', 'OK'],
  ['FAIL', 'ERROR'],
  ['FAILED', 'ERROR'],
  ['FAILURE', 'ERROR'],
  ['TIMEOUT', 'ERROR'],
  ['TIMED_OUT', 'ERROR'],
  ['ABORTED', 'ERROR'],
  ['WARN', 'WARNING'],
  ['SKIP', 'SKIPPED'],
  ['CANCELLED', 'SKIPPED'],
]);

const GRAVE = new Set(['HIGH', 'CRITICAL', 'BLOCKER', 'ERROR']);

/** A finding (`FOUND_VULNERABILITY`) is an ERROR or a WARNING by its severity. */
function statusOf(a: Attributes, details: Details): NodeStatus | undefined {
  const said = firstText(a, ['status'])?.toUpperCase() ?? firstText(a, TEST_STATUS)?.toUpperCase();
  if (said === undefined) return (details.testsFailed ?? 0) > 0 ? 'ERROR' : undefined;
  const known = STATUSES.get(said) ?? OTHER_STATUSES.get(said);
  if (known !== undefined) return known;
  if (said.startsWith('FOUND') || details.severity !== undefined) {
    return GRAVE.has(details.severity?.toUpperCase() ?? '') ? 'ERROR' : 'WARNING';
  }
  return undefined;
}
