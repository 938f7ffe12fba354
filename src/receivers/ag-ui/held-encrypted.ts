import { isObject } from '../../base/json.ts';
import type { AgUiEvent } from './read-event.ts';
import type { Run } from './run.ts';

/** Threads of which values are held; of more, the one that had none for the longest time loses its. */
const MAX_THREADS = 1_000;
/** Of one thread, the newest; a turn has a handful. */
const MAX_VALUES = 256;
/** Of all threads together. */
const MAX_CHARS = 16 * 1024 * 1024;

interface Thread {
  readonly taskIds: Set<string>;
  /** By the id of the message or tool call that it belongs to. */
  readonly values: Map<string, string>;
  chars: number;
}

/**
 * Encrypted reasoning on its way to the next turn of its agent: in memory, nowhere else, and of no use to anybody but the
 * provider that made it.
 */
export class HeldEncrypted {
  private readonly threads = new Map<string, Thread>();
  private chars = 0;

  /** @param agent whatever names the agent, the same for all its turns */
  hold(agent: string, run: Run, event: AgUiEvent): void {
    const threadId = run.attributes['agui.thread'];
    if (typeof threadId !== 'string') return;
    for (const { at, value } of event.encrypted) {
      const id = ownerOf(event, at);
      if (id !== undefined) this.put(keyOf(agent, threadId), run.taskId, id, value);
    }
  }

  /** The input of the next run, with what its messages and tool calls lack. The same one where nothing is missing. */
  fill(agent: string, input: Buffer): Buffer {
    const parsed = parsedObject(input);
    const messages = parsed?.['messages'];
    const thread =
      typeof parsed?.['threadId'] === 'string'
        ? this.threads.get(keyOf(agent, parsed['threadId']))
        : undefined;
    if (!parsed || !thread || !Array.isArray(messages)) return input;
    let isChanged = false;
    const filled = (item: unknown): unknown => {
      if (!isObject(item)) return item;
      const { toolCalls } = item;
      const withCalls = Array.isArray(toolCalls) ? { ...item, toolCalls: toolCalls.map(filled) } : item;
      const value = typeof item['id'] === 'string' ? thread.values.get(item['id']) : undefined;
      if (value === undefined || typeof item['encryptedValue'] === 'string') return withCalls;
      isChanged = true;
      return { ...withCalls, encryptedValue: value };
    };
    const now = { ...parsed, messages: messages.map(filled) };
    return isChanged ? Buffer.from(JSON.stringify(now)) : input;
  }

  /** Those of erased tasks go. */
  forget(tasks: ReadonlySet<string>): void {
    for (const [key, { taskIds }] of this.threads)
      if ([...taskIds].some((taskId) => tasks.has(taskId))) this.drop(key);
  }

  private put(key: string, taskId: string, id: string, value: string): void {
    const thread = this.threads.get(key) ?? {
      taskIds: new Set<string>(),
      values: new Map<string, string>(),
      chars: 0,
    };
    this.threads.delete(key);
    this.threads.set(key, thread);
    thread.taskIds.add(taskId);
    this.dropValue(thread, id);
    thread.values.set(id, value);
    thread.chars += value.length;
    this.chars += value.length;
    for (const oldest of thread.values.keys()) {
      if (thread.values.size <= MAX_VALUES) break;
      this.dropValue(thread, oldest);
    }
    for (const oldest of this.threads.keys()) {
      if (this.threads.size <= MAX_THREADS && this.chars <= MAX_CHARS) break;
      this.drop(oldest);
    }
  }

  private dropValue(thread: Thread, id: string): void {
    const length = thread.values.get(id)?.length ?? 0;
    thread.values.delete(id);
    thread.chars -= length;
    this.chars -= length;
  }

  private drop(key: string): void {
    this.chars -= this.threads.get(key)?.chars ?? 0;
    this.threads.delete(key);
  }
}

const IN_MESSAGES = /^messages\.(\d+)\.(?:toolCalls\.(\d+)\.)?encryptedValue$/;

/** The message or tool call that a value of an event belongs to. */
function ownerOf({ type, fields }: AgUiEvent, at: string): string | undefined {
  if (type === 'REASONING_ENCRYPTED_VALUE') return textIn(fields, 'entityId');
  const [, message, call] = IN_MESSAGES.exec(at) ?? [];
  if (type !== 'MESSAGES_SNAPSHOT' || message === undefined) return undefined;
  const of = itemOf(fields['messages'], message);
  return call === undefined
    ? textIn(of, 'id')
    : textIn(itemOf(isObject(of) ? of['toolCalls'] : undefined, call), 'id');
}

function itemOf(list: unknown, index: string): unknown {
  return Array.isArray(list) ? (list as readonly unknown[])[Number(index)] : undefined;
}

function textIn(value: unknown, key: string): string | undefined {
  const text = isObject(value) ? value[key] : undefined;
  return typeof text === 'string' ? text : undefined;
}

function keyOf(agent: string, threadId: string): string {
  return `${agent}\u0000${threadId}`;
}

function parsedObject(body: Buffer): { readonly [key: string]: unknown } | undefined {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
