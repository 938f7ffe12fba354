import { MAX_ANNOTATION_CHARS } from '../../model/annotation.ts';
import { APPROVAL_SECONDS } from '../../model/approval.ts';
import { textIn, wrong, type Given } from '../given.ts';

/** What an agent asks people, checked. */
export interface GivenApproval {
  readonly question: string;
  /** One of these is chosen by who approves; empty when it is yes or no. */
  readonly options: readonly string[];
  readonly expiresInMs: number;
  readonly agent?: string | undefined;
  readonly taskId?: string | undefined;
  readonly traceId?: string | undefined;
  /** The step that asks. */
  readonly spanId?: string | undefined;
  readonly nodeId?: string | undefined;
  readonly requestId?: string | undefined;
}

const MAX_OPTIONS = 20;
const MAX_OPTION_CHARS = 100;
/** Of all as JSON: half of what the graph shows of a list, since what is private in them becomes longer by its marker. */
const MAX_OPTIONS_JSON = 1_000;

/** @throws BoundaryError INVALID_ARGUMENT, naming the field */
export function givenApproval(given: Given): GivenApproval {
  const question = textIn(given, 'question', MAX_ANNOTATION_CHARS);
  if (question === undefined) throw wrong('question', 'is required: what is to be approved');
  const [agent, taskId, traceId, spanId, nodeId, requestId] = [
    'agent',
    'taskId',
    'traceId',
    'spanId',
    'nodeId',
    'requestId',
  ].map((field) => textIn(given, field));
  if (agent === undefined && taskId === undefined && traceId === undefined)
    throw wrong('agent', 'is required, or taskId or traceId: say for which of your agents you ask');
  return {
    question,
    options: optionsIn(given),
    expiresInMs: 1000 * secondsIn(given),
    agent,
    taskId,
    traceId: traceId?.toLowerCase(),
    spanId: spanId?.toLowerCase(),
    nodeId,
    requestId,
  };
}

function optionsIn({ options = [] }: Given): readonly string[] {
  const problem = `must be at most ${MAX_OPTIONS} different texts of 1 to ${MAX_OPTION_CHARS} characters, ${MAX_OPTIONS_JSON} with all of them`;
  if (!Array.isArray(options) || options.length > MAX_OPTIONS) throw wrong('options', problem);
  const texts = options.filter(
    (one: unknown) => typeof one === 'string' && one.trim() !== '' && one.length <= MAX_OPTION_CHARS,
  ) as readonly string[];
  if (new Set(texts).size !== options.length || JSON.stringify(texts).length > MAX_OPTIONS_JSON)
    throw wrong('options', problem);
  return texts;
}

function secondsIn({ expiresInSeconds: seconds = APPROVAL_SECONDS.default }: Given): number {
  const { least, most } = APPROVAL_SECONDS;
  if (typeof seconds === 'number' && seconds >= least && seconds <= most) return seconds;
  throw wrong('expiresInSeconds', `must be a number from ${least} to ${most}`);
}
