import { setTimeout } from 'node:timers/promises';
import { INTERRUPT_REASONS, type InterruptState, type ToldAgent } from '../../model/interrupt.ts';
import { askHttp } from '../ask-http.ts';
import { failure, wrongUsage } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';
import { detailOf } from '../node-details.ts';
import { print, toJson } from '../output.ts';
import { PROGRAM } from '../program.ts';
import { readerCommand } from '../reader-command.ts';
import { withClient, type Target } from '../reader-options.ts';
import { plainText } from '../terminal/plain-text.ts';

/** How often it is looked at what was answered. */
const LOOK_MS = 200;

/** The word that was given may have been meant as either. */
const NOTHING = `no step has this id, and no task with it is under way ("${PROGRAM} tasks" and "get" show what there is)`;

export const interrupt = readerCommand({
  name: 'interrupt',
  summary: 'ask the agent of a running step, or of a task, to stop',
  usage: 'NODE_OR_TASK [--reason R] [--message TEXT] [options]',
  about: [
    'The agent is told if it waits for that, and says what it does about it; both stand on the graph. Waits until each who was told has answered, 30 seconds at most, unless --no-wait is given.',
    'Ends with 0 when an agent stops, or completes its thought and then does; with 1 when none does. It needs the right "interrupt", which operators have.',
  ],
  options: [
    {
      title: 'Options',
      options: [
        { name: 'reason', value: 'R', help: `${INTERRUPT_REASONS.join(', ')}; user_request if absent` },
        { name: 'message', value: 'TEXT', help: 'for the agent, and the graph; "other" needs one' },
        { name: 'no-wait', help: 'do not wait for an answer' },
        { name: 'json', help: 'how it stands in the end, as JSON' },
      ],
    },
  ],
  examples: [
    { line: 'explainability-agent interrupt T012', what: 'whatever of the task runs' },
    {
      line: 'explainability-agent interrupt req:r1 --reason redirect --message "look at the parser first"',
      what: 'the agent of one step',
    },
  ],
  maxWords: 1,
  run: async (args, target) => {
    const [id] = args.positionals;
    if (id === undefined) throw wrongUsage('say what to interrupt: the id of a step or task');
    const reason = args.text('reason') ?? 'user_request';
    if (!INTERRUPT_REASONS.some((one) => one === reason))
      throw wrongUsage(`--reason must be one of ${INTERRUPT_REASONS.join(', ')}`);
    const message = args.text('message');
    const kind = (await isStep(target, id)) ? 'nodes' : 'tasks';
    const path = `/api/${kind}/${encodeURIComponent(id)}/interrupt`;
    const given = { reason, ...(message !== undefined && { message }) };
    const asked = await askHttp<InterruptState>(target, 'POST', path, given, NOTHING);
    const isQuiet = args.has('json');
    if (!isQuiet) await print(`${askedLine(asked)}\n`);
    const state = args.has('no-wait') ? asked : await answered(target, asked, isQuiet);
    if (isQuiet) await print(`${toJson(state, process.stdout.isTTY)}\n`);
    const isStopping = state.told.some(
      ({ status }) => status === 'stopping' || status === 'completing_thought',
    );
    return isStopping || args.has('no-wait') ? EXIT.ok : EXIT.crash;
  },
});

/** A word is the id of a step where there is one; else of a task. */
async function isStep(target: Target, id: string): Promise<boolean> {
  return (await withClient(target, (client) => detailOf(client, id))) !== undefined;
}

/** Says each answer as it comes. @returns how it stands in the end */
async function answered(target: Target, asked: InterruptState, isQuiet: boolean): Promise<InterruptState> {
  const said = new Set<string>();
  for (;;) {
    const state = await askHttp<InterruptState>(target, 'GET', `/api/interrupts/${asked.id}`);
    for (const [index, told] of state.told.entries()) {
      const line = `${index}`;
      if (isQuiet || said.has(line) || (told.status === undefined && !state.isOver)) continue;
      said.add(line);
      await print(`${toldLine(told)}\n`);
    }
    if (!state.isOver) {
      await setTimeout(LOOK_MS);
      continue;
    }
    if (state.told.length === 0 && !isQuiet)
      throw failure('Nobody was there to be told: no agent waits for this.');
    return state;
  }
}

function askedLine({ nodeId, told }: InterruptState): string {
  const names = told.map(({ way, agent }) => `${plainText(agent ?? 'an agent')} (${way})`);
  const whom =
    names.length === 0
      ? 'Nobody waits for it yet; whoever comes within 30 s is told.'
      : `Told: ${names.join(', ')}.`;
  return `${whom} On the graph: ${plainText(nodeId)}`;
}

function toldLine({ agent, status, message }: ToldAgent): string {
  const who = plainText(agent ?? 'an agent');
  if (status === undefined) return `${who} said nothing within 30 s.`;
  return `${who}: ${status}${message === undefined ? '' : ` — ${plainText(message)}`}`;
}
