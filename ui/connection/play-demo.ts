import { ROOT } from '../state/root.ts';
import { DEMO_STORY } from './demo-story.ts';
import type { DemoStep } from './demo-story.ts';

/** From one step to the next. */
const BEAT_MS = 900;

/**
 * Plays a story into the service as an exporter sends it, in real time, each step as it ends. It goes on while the page is
 * open. @returns the task that it is told as, when the first step was taken in
 */
export async function playDemo(): Promise<string> {
  const taskId = `demo-${Date.now().toString(36)}`;
  const traceId = hex(16);
  const ids = DEMO_STORY.map(() => hex(8));
  const began = Date.now();
  const spanOf = (step: DemoStep, index: number): object => ({
    traceId,
    spanId: ids[index],
    ...(step.parent !== undefined && { parentSpanId: ids[step.parent] }),
    name: step.name,
    kind: 1,
    startTimeUnixNano: `${began + step.start * BEAT_MS}000000`,
    endTimeUnixNano: `${began + step.end * BEAT_MS}000000`,
    status: step.error === undefined ? {} : { code: 2, message: step.error },
    attributes: attributesOf({ 'task.id': taskId, ...step.attributes }),
  });
  const byEnd = DEMO_STORY.map((step, index) => ({ end: step.end, span: spanOf(step, index) })).sort(
    (a, b) => a.end - b.end,
  );
  const [first, ...others] = byEnd;
  if (first) await send(first.span);
  void others.reduce(async (before, { end, span }) => {
    await before;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, began + end * BEAT_MS - Date.now())));
    await send(span).catch(() => undefined);
  }, Promise.resolve());
  return taskId;
}

async function send(span: object): Promise<void> {
  const resource = { attributes: attributesOf({ 'service.name': 'demo' }) };
  const response = await fetch(new URL('v1/traces', ROOT), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'demo' }, spans: [span] }] }],
    }),
  });
  if (response.ok) return;
  const { message } = (await response.json().catch(() => ({}))) as { readonly message?: string };
  throw new Error(`The service took no spans: ${message ?? `it answers ${response.status}`}.`);
}

function attributesOf(values: Readonly<Record<string, string | number>>): object[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
}

function hex(bytes: number): string {
  return [...crypto.getRandomValues(new Uint8Array(bytes))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
