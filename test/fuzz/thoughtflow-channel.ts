import type { Draw } from './draw.ts';
import { httpSession, type HttpRequest } from './http-text.ts';
import { compressed, mutated } from './mutate.ts';
import { mutatedJson } from './mutate-json.ts';
import type { Session } from './session.ts';
import { hostileJson, hostileText, hostileTime, SECRETS, taskId } from './values.ts';

type Fields = { readonly [field: string]: unknown };

const LABELS = ['user_message', 'assistant_message', 'tool_call', 'tool_output', 'tool_error', 'own.label'];
const VERBS = ['created', 'started', 'ended', 'completed', 'aborted', 'error', 'invented'];
/** Few, so that sessions meet, also those of other ways in. */
const session = (draw: Draw): string => (draw.chance(0.6) ? taskId(draw) : `session-${draw.int(12)}`);
const conversation = (draw: Draw): string => (draw.chance(0.95) ? `c${draw.int(4)}` : hostileText(draw));
const step = (draw: Draw): unknown =>
  draw.chance(0.95)
    ? draw.pick(['s1', 'S1', 'a.b', 'x y', 'style', 7, `s${draw.int(9)}`])
    : hostileText(draw);

/** `POST /thoughtflow` in the forms of every era, and the files that are read from there. */
export function thoughtflow(draw: Draw): Session {
  return httpSession(draw, 'readers', draw.chance(0.8) ? posted : read);
}

function posted(draw: Draw): HttpRequest {
  const isLog = draw.chance(0.5);
  const items = draw.list(isLog ? draw.between(1, 30) : draw.between(1, 3), () =>
    mutatedJson(draw, isLog ? line(draw) : whole(draw)),
  );
  const texts = items.map((item) => JSON.stringify(item) ?? 'null');
  const text =
    isLog || draw.chance(0.2) ? texts.join('\n') : texts.length === 1 ? texts[0] : `[${texts.join(',')}]`;
  const content = mutated(draw, Buffer.from(text ?? ''));
  const packed = draw.chance(0.1) ? compressed(draw, content) : undefined;
  return {
    method: 'POST',
    target: `/thoughtflow${draw.chance(0.2) ? `?taskId=${encodeURIComponent(taskId(draw).toWellFormed())}` : ''}`,
    headers: [
      ['Content-Type', draw.pick(['application/json', 'application/x-ndjson', 'application/jsonl', ''])],
      ...(packed ? [['Content-Encoding', packed.encoding] as const] : []),
    ],
    body: packed?.bytes ?? content,
  };
}

function read(draw: Draw): HttpRequest {
  const name = draw.chance(0.9)
    ? `${session(draw)}${draw.chance(0.3) ? `.${conversation(draw)}` : ''}`
    : draw.chance(0.5)
      ? 'a.'.repeat(draw.int(60))
      : hostileText(draw);
  const end = draw.chance(0.95)
    ? draw.pick(['.json', '.d2'])
    : draw.pick(['', '.', '.svg', '.json.d2', '/x.json']);
  return {
    method: draw.chance(0.95) ? 'GET' : 'HEAD',
    target: `/thoughtflow/${encodeURIComponent(name.toWellFormed())}${end}`,
    headers: [],
    body: Buffer.alloc(0),
  };
}

/** A consolidated session of either era. */
function whole(draw: Draw): Fields {
  const isNew = draw.chance(0.7);
  const conversations = draw.list(draw.int(4), () => ({
    [isNew ? 'conversation_id' : 'run_id']: conversation(draw),
    channel: hostileText(draw),
    status: draw.pick(['completed', 'in_progress', 'aborted', 'error', hostileText(draw)]),
    ...times(draw),
    steps: draw.list(draw.int(8), () => ({
      step_id: step(draw),
      label: draw.pick(LABELS),
      ...(draw.chance(0.5) && { depends_on: draw.list(draw.int(5), () => step(draw)) }),
      ...times(draw),
      ...(draw.chance(0.7) && { payload_started: payload(draw) }),
      ...(draw.chance(0.7) && { payload_completed: payload(draw) }),
    })),
  }));
  return { session_id: session(draw), ...times(draw), [isNew ? 'conversations' : 'runs']: conversations };
}

/** A line of a log. */
function line(draw: Draw): Fields {
  const noun = draw.pick(['session', 'conversation', 'run', 'step', 'step', 'step', 'activity']);
  return {
    type: `${noun}.${draw.pick(VERBS)}`,
    timestamp: hostileTime(draw),
    ...(draw.chance(0.7) && { session_id: session(draw) }),
    [noun === 'run' ? 'run_id' : 'conversation_id']: conversation(draw),
    ...(noun === 'step' && {
      step_id: step(draw),
      label: draw.pick(LABELS),
      ...(draw.chance(0.3) && { depends_on: draw.list(draw.int(5), () => step(draw)) }),
      payload: payload(draw),
    }),
  };
}

function times(draw: Draw): Fields {
  return {
    ...(draw.chance(0.7) && { started_at: hostileTime(draw) }),
    ...(draw.chance(0.5) && { ended_at: hostileTime(draw) }),
    ...(draw.chance(0.2) && { duration_ms: draw.int(1e6) }),
  };
}

function payload(draw: Draw): unknown {
  if (draw.chance(0.2)) return hostileJson(draw);
  const at = draw.int(SECRETS.length);
  return {
    name: draw.pick(['search', 'write_file']),
    text: SECRETS.slice(at, at + draw.int(60)),
    args: hostileJson(draw),
    ...(draw.chance(0.2) && {
      prompt_provenance: {
        parts: [{ type: 'personality', text: hostileText(draw) }],
        final_prompt: hostileText(draw),
      },
    }),
  };
}
