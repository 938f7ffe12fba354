import { within } from '../steps/child.ts';
import type { Served } from '../steps/serve.ts';
import type { Topics } from './topics.ts';

/** Reached only where something is broken, or the machine is very busy. */
const DEADLINE_MS = 60_000;
const T0 = Date.parse('2026-11-25T10:00:00Z');

/** What was sent and what is to be read: the pieces of each thought, and the events. */
export class Sent {
  readonly texts = new Map<string, string>();
  readonly events = new Set<string>();
  private readonly topics: Topics;

  constructor(topics: Topics) {
    this.topics = topics;
  }

  /** Pieces without a `sequence`: were one taken twice, or lost, the text would show it. */
  async thoughts(ids: readonly string[], pieces: number): Promise<void> {
    const messages = Array.from({ length: pieces }, () => ids).flatMap((all, n) =>
      all.map((requestId) => ({
        key: requestId,
        value: JSON.stringify({
          requestId,
          timestamp: T0 + n,
          tokens: [this.next(requestId)],
          agent: 'KafkaAgent',
          taskId: 'T1',
        }),
      })),
    );
    await this.topics.send('thoughts', messages);
  }

  async event(eventID: string): Promise<void> {
    this.events.add(eventID);
    const value = JSON.stringify({
      eventID,
      eventType: 'PlanMade',
      timestamp: T0,
      payload: { taskId: 'T1' },
    });
    await this.topics.send('events', [{ key: eventID, value }]);
  }

  private next(requestId: string): string {
    const before = this.texts.get(requestId) ?? '';
    const piece = before === '' ? 'Step 1.' : ` then step ${before.split(' then ').length + 1}.`;
    this.texts.set(requestId, before + piece);
    return piece;
  }
}

/** Every text is what was sent, no more and no less, and so are the events. */
export async function holdsAll(service: Served, sent: Sent): Promise<void> {
  let difference = '';
  await within(DEADLINE_MS, 'the graph holds all', async () => {
    difference = await differenceOf(service, sent);
    return difference === '' ? true : undefined;
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${difference}\n${service.child.stdout.slice(-2000)}`);
  });
}

interface Graph {
  readonly nodes: readonly {
    readonly id: string;
    readonly type: string;
    readonly details?: Record<string, unknown>;
  }[];
}

/** What is shown of each thought, by its request. */
export async function textsOf(service: Served): Promise<Map<string, string>> {
  return (await shownBy(service)).texts;
}

/** The pieces that a text is made of, by their numbers. */
export function piecesOf(text = ''): string[] {
  return text.match(/(?<=tep )\d+(?=\.)/g) ?? [];
}

async function differenceOf(service: Served, sent: Sent): Promise<string> {
  const { texts, events } = await shownBy(service);
  if (events !== sent.events.size) return `${events} of ${sent.events.size} events`;
  for (const [id, text] of sent.texts)
    if (texts.get(id) !== text) return `${id} is "${texts.get(id)}" and not "${text}"`;
  return '';
}

async function shownBy({
  readers,
}: Served): Promise<{ readonly texts: Map<string, string>; readonly events: number }> {
  const graph = (await (await fetch(`http://${readers}/api/graph?collapse=none`)).json()) as Graph;
  const texts = new Map<string, string>();
  let events = 0;
  for (const node of graph.nodes) {
    const id = node.details?.['requestId'];
    if (node.id.startsWith('event:')) events++;
    if (typeof id !== 'string') continue;
    const answer = await fetch(`http://${readers}/api/nodes/${encodeURIComponent(node.id)}`);
    const { texts: of } = (await answer.json()) as { readonly texts?: { readonly reasoning?: string } };
    texts.set(id, of?.reasoning ?? '');
  }
  return { texts, events };
}
