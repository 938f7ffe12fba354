import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { filesOf } from './files-of.ts';
import { SpawnedService } from './spawned-service.ts';
import { until } from '../support/until.ts';

export const TOKEN = 'reader-token';
export const ADMIN = 'admin-token-1';
export const FLAGS = [
  '--auth',
  JSON.stringify({ token: TOKEN, adminToken: ADMIN }),
  // A write-ahead log of a few hundred kilobytes, so that most of what fills the store is in the database.
  '--max-store-bytes',
  String(64 * 1024 * 1024),
];
const VAULT = { EXPLAINABILITY_AGENT_VAULT_KEY: 'a5'.repeat(32) };
/** No text of the task that is to go is without it; nothing else has it. */
export const MARK = 'quixotic-zebra';
/** Of the task that is to stay. */
export const OTHER = 'stays-as-it-is';

export interface Erased {
  readonly tasks: readonly string[];
  readonly nodesInMemory: number;
  readonly nodesArchived: number;
  readonly originalsOfTasks: number;
}

function traceOf(name: string): string {
  return Buffer.from(name).toString('hex').padEnd(32, '0').slice(0, 32);
}

/** Spans of a task, one below the other. @param text stands in every kind of text that a span has */
export function traces(
  task: string,
  text: string,
  spans: number,
  more: Readonly<Record<string, string>> = {},
): object {
  const attributes = Object.entries({
    taskID: task,
    'gen_ai.operation.name': 'chat',
    'input.value': `${text} was told: write to ann@example.org`,
    note: `${text} as an attribute`,
    ...more,
  }).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const idOf = (index: number): string => index.toString(16).padStart(16, '1');
  return {
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: Array.from({ length: spans }, (_, index) => ({
              traceId: traceOf(task),
              spanId: idOf(index),
              ...(index > 0 && { parentSpanId: idOf(index - 1) }),
              name: `${text} step`,
              startTimeUnixNano: '1750000000000000000',
              endTimeUnixNano: '1750000001000000000',
              attributes,
              events: [{ timeUnixNano: '1750000000500000000', name: `${text} happened` }],
              status: { code: 2, message: `${text} went wrong` },
            })),
          },
        ],
      },
    ],
  };
}

/** A running service with its administrator's hands. */
export class Admin {
  private readonly service: SpawnedService;

  constructor(service: SpawnedService) {
    this.service = service;
  }

  static async start(t: TestContext, dataDir: string): Promise<Admin> {
    return new Admin(await SpawnedService.ready(t, dataDir, FLAGS, VAULT));
  }

  get readers(): string {
    return this.service.readers;
  }

  async post(path: string, body: unknown): Promise<unknown> {
    const isOtlp = path.startsWith('/v1/');
    const host = isOtlp ? this.service.otlpHttp : this.service.readers;
    const authorization = `Bearer ${path === '/api/erase' ? ADMIN : TOKEN}`;
    const headers = { 'content-type': 'application/json', authorization };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await fetch(`http://${host}${path}`, init);
    assert.ok([200, 202].includes(answer.status), `${path}: ${answer.status} ${await answer.clone().text()}`);
    return answer.json();
  }

  async get(path: string): Promise<Response> {
    const headers = { authorization: `Bearer ${TOKEN}` };
    return fetch(`http://${this.service.readers}${path}`, { headers });
  }

  async graph(): Promise<ExplanationGraph> {
    return (await (await this.get('/api/graph?collapse=none')).json()) as ExplanationGraph;
  }

  /** Every node leaves memory. */
  async archive(): Promise<void> {
    await this.post('/api/prune', { olderThanMinutes: 0 });
    await until('all nodes left memory', async () =>
      /^explain_nodes_in_memory 0$/m.test(await (await this.get('/metrics')).text()),
    );
  }

  /** As after a power cut, so that nothing is tidied up. */
  async kill(): Promise<void> {
    this.service.process.kill('SIGKILL');
    await this.service.exit();
  }

  async stop(): Promise<void> {
    this.service.process.kill('SIGTERM');
    assert.equal(await this.service.exit(), 0, this.service.stderr);
  }
}

/** The files of a folder that hold a text, in any of the ways in which it can be written down. */
export async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const forms = [
    Buffer.from(text),
    Buffer.from(text, 'utf16le'),
    Buffer.from(Buffer.from(text).toString('hex')),
    Buffer.from(JSON.stringify(text).slice(1, -1)),
  ];
  const holding = (await filesOf(folder)).filter(({ bytes }) => forms.some((form) => bytes.includes(form)));
  return holding.map(({ name }) => name).sort();
}

/** Nodes of the others, as readers see them. */
export function othersIn({ nodes, edges }: ExplanationGraph): object {
  const ids = new Set(nodes.filter(({ taskId }) => taskId.startsWith(OTHER)).map(({ id }) => id));
  const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);
  return {
    nodes: nodes.filter(({ id }) => ids.has(id)).sort(byId),
    edges: edges.filter(({ from, to }) => ids.has(from) && ids.has(to)).sort(byId),
  };
}

/** More than the write-ahead log holds. */
export async function fillStore(admin: Admin): Promise<void> {
  for (let batch = 0; batch < 6; batch++) {
    const filler = Array.from({ length: 4000 }, (_, word) => `word${batch}-${word}`).join(' ');
    await admin.post('/v1/traces', traces(`${OTHER}-${batch}`, `${OTHER} ${filler}`, 20));
  }
}

export async function sendThoughts(admin: Admin, task: string, text: string, final: boolean): Promise<void> {
  const entry = { requestId: `request of ${task}`, timestamp: 1_750_000_000_500, taskId: task, agent: text };
  await admin.post('/api/cot', { ...entry, text: `${text} thought of it`, summary: text, final });
}
