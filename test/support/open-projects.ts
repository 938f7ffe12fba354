import assert from 'node:assert/strict';
import { configFromObject } from '../../src/config/object-layer.ts';
import type { ServiceConfig } from '../../src/config/schema.ts';
import type { TelemetryRecord } from '../../src/model/records.ts';
import type { SearchHit, SearchPage } from '../../src/model/search.ts';
import type { ReaderApi } from '../../src/subscriptions/reader-api.ts';
import { Projects } from '../../src/service/project/projects.ts';
import type { ProjectStack } from '../../src/service/project/project-stack.ts';
import { openShared } from '../../src/service/shared-parts.ts';
import { Stages } from '../../src/service/stages.ts';
import { silentLogger, type Logger } from '../../src/telemetry/logger.ts';

/** Projects as a service has them, without its ports. */
export interface OpenProjects {
  readonly projects: Projects;
  readonly main: ProjectStack;
  /** As a service stops. */
  readonly stop: () => Promise<void>;
}

export interface OpenProjectsOptions {
  readonly config?: Partial<ServiceConfig>;
  readonly names?: readonly string[];
  readonly logger?: Logger;
}

/** Without a `dataDir` nothing is written to disk. */
export async function openProjects(options: OpenProjectsOptions = {}): Promise<OpenProjects> {
  const { config: given = {}, names = [], logger = silentLogger } = options;
  const loaded = configFromObject(given, { homeDir: '/nonexistent', ruleNames: [] });
  assert.ok(loaded.ok, loaded.ok ? '' : JSON.stringify(loaded.problems));
  const { config } = loaded;
  const stages = new Stages();
  const shared = await openShared({ env: {}, version: '0', logger }, stages);
  const projects = new Projects({
    config,
    shared,
    ownListeners: () => undefined,
    canceller: () => undefined,
    hasPorts: false,
  });
  const main = await projects.openDefault(stages);
  await stages.start(main.files, { stop: (reason) => projects.close(reason) }, main.work, projects);
  for (const name of names) await projects.ensure(name);
  return { projects, main, stop: () => stages.stop('the test is over') };
}

/** What one request brought. */
export async function send(stack: ProjectStack, records: readonly TelemetryRecord[]): Promise<void> {
  await stack.consumer.consume({ receivedAt: performance.now(), source: 'http', records });
}

/** All that a reader can ask of a project, but for the times of the answers. */
export async function everything(reader: ReaderApi): Promise<object> {
  const whole = { collapse: 'none' };
  const { nodes, edges } = await reader.getGraph(whole);
  const folded = await reader.getGraph({});
  const ids = nodes.map(({ id }) => id).sort();
  const tasks = await reader.listTasks({ limit: 1000 });
  const names = tasks.tasks.map(({ taskId }) => taskId).sort();
  const [first = 'none', second = first] = names;
  return withoutTimes({
    nodes: byId(nodes),
    edges: byId(edges),
    folded: [byId(folded.nodes), byId(folded.edges)],
    tasks,
    details: await Promise.all(ids.map(async (id) => reader.getNode(id))),
    hits: await allHits(reader, 'parser'),
    patterns: await reader.patterns({}),
    summaries: await Promise.all(names.map((taskId) => reader.summary(taskId))),
    compared: await asked(() => reader.compare({ a: first, b: second })),
    whys: await Promise.all(names.map((taskId) => asked(() => reader.why({ taskId })))),
  });
}

/** Of all answers: on a busy machine one may end after its second, and the next goes on from there. */
async function allHits(reader: ReaderApi, text: string): Promise<readonly SearchHit[]> {
  const hits: SearchHit[] = [];
  let cursor: string | undefined;
  do {
    const page: SearchPage = await reader.search({ text, cursor });
    hits.push(...page.hits);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return hits;
}

/** Without when it was answered. */
function withoutTimes(answers: object): object {
  const told = JSON.stringify(answers, (key, value: unknown) => (key === 'lastUpdated' ? undefined : value));
  return JSON.parse(told) as object;
}

/** What was answered, or the refusal. */
export async function asked(question: () => unknown): Promise<unknown> {
  try {
    return await question();
  } catch (error) {
    assert.ok(error instanceof Error);
    return { code: (error as { readonly code?: unknown }).code, message: error.message };
  }
}

function byId<T extends { readonly id: string }>(items: readonly T[]): readonly T[] {
  return [...items].sort((a, b) => (a.id < b.id ? -1 : 1));
}
