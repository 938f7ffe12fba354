import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ALL_INSTRUMENTS } from '../../../src/telemetry/instruments.ts';
import { checkCompose, composeLoader } from './compose.ts';
import { type Dashboard, dashboardExpressions, selectors } from './expressions.ts';
import { Prometheus } from './prometheus.ts';
import { findTools, type PrometheusTools } from './tools.ts';
import { succeed, within } from '../steps/child.ts';
import { jsonSpan, sendSpans } from '../steps/otlp.ts';
import { FREE_PORTS, serve, type Served } from '../steps/serve.ts';
import { Steps } from '../steps/steps.ts';

/**
 * Runs Prometheus with config/prometheus against the service, and checks that the alert rules and the Grafana
 * dashboard ask for what is there; and that the compose files are such, and what they mount exists.
 */
const ROOT = resolve(import.meta.dirname, '../../..');
const DEFAULT_MAX_MEMORY_BYTES = 320 * 1024 * 1024;
const COMPOSE_FILES = ['docker-compose.yml', 'docker-compose.cells.yml'];
const TOKEN = 'a-token-for-the-test';
const BEARER = { authorization: `Bearer ${TOKEN}` };
/** As config/prometheus/prometheus.yml names them. */
const TARGET = 'explainability-agent:9000';
const TOKEN_FILE = '/run/secrets/explain-token';
/** Three scrapes and evaluations at the intervals of the configuration, on a busy machine. */
const SCRAPES_TIMEOUT_MS = 120_000;
/** Small, so that a request can be too large for it. */
const MAX_INFLIGHT_BYTES = 20_000;
/** Written by nothing in this test: receivers would have to be full. */
const ONLY_WHEN_FULL = 'reason="resource_exhausted"';

const steps = new Steps();
const work = await mkdtemp(join(tmpdir(), 'explain-prometheus-'));
const children: { kill(): void }[] = [];
try {
  await checkComposeFiles();
  const tools = await findTools();
  if (typeof tools === 'string') console.log(`NOT RUN, Prometheus is missing: ${tools}`);
  else await checkPrometheus(tools);
} finally {
  for (const child of children) child.kill();
  await rm(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
steps.finish();

async function checkComposeFiles(): Promise<void> {
  const load = await composeLoader();
  if (!load) {
    console.log(
      'NOT RUN, compose files are not checked: neither `docker compose` nor Go is here to read them',
    );
    return;
  }
  for (const file of COMPOSE_FILES) {
    const compose = await steps.step(`${file} is read by its tools`, () => load(ROOT, file));
    if (compose)
      await steps.step(
        `${file}: what is mounted exists, versions are pinned, ports stay on the machine`,
        () => checkCompose(compose),
      );
  }
}

async function checkPrometheus(tools: PrometheusTools): Promise<void> {
  const served = await steps.step('the service starts', startOurs);
  if (!served) return;
  await writeConfig(served.readers);
  const rules = join(work, 'alerts.yml');
  await steps.step('promtool check config', () =>
    succeed(tools.promtool, ['check', 'config', join(work, 'prometheus.yml')]),
  );
  await steps.step('promtool check rules', () => succeed(tools.promtool, ['check', 'rules', rules]));
  await steps.step('promtool test rules', () =>
    succeed(tools.promtool, ['test', 'rules', join(work, 'alerts.test.yml')]),
  );
  await steps.step('telemetry is taken in', () => sendTelemetry(served));
  const prometheus = await steps.step('Prometheus starts with our configuration', async () => {
    const started = await Prometheus.start(
      tools.prometheus,
      join(work, 'prometheus.yml'),
      join(work, 'tsdb'),
    );
    children.push(started.child);
    return started;
  });
  if (prometheus) await checkScraped(prometheus, served);
}

async function startOurs(): Promise<Served> {
  const limits = ['--max-inflight-bytes', String(MAX_INFLIGHT_BYTES)];
  const auth = ['--auth', JSON.stringify({ token: TOKEN })];
  // Its series are those of the guards that are set, from 0 on.
  const guards = ['--guards', JSON.stringify([{ name: 'loops', limits: { sameStep: 1000 } }])];
  const flags = ['serve', ...FREE_PORTS, '--durability', 'memory', ...limits, ...auth, ...guards];
  // A home without settings of whoever runs this.
  const env = { PATH: process.env['PATH'], HOME: work };
  const served = await serve(process.execPath, [join(ROOT, 'src/main.ts'), ...flags], { env });
  children.push(served.child);
  return served;
}

/** Our configuration; only where the service is, and where its token stands, is of this test. */
async function writeConfig(target: string): Promise<void> {
  await cp(join(ROOT, 'config/prometheus'), work, { recursive: true });
  const config = await readFile(join(work, 'prometheus.yml'), 'utf8');
  assert.ok(config.includes(TARGET) && config.includes(TOKEN_FILE), 'prometheus.yml names target and token');
  await writeFile(join(work, 'token'), TOKEN, { mode: 0o600 });
  await writeFile(
    join(work, 'prometheus.yml'),
    config.replace(TARGET, target).replace(TOKEN_FILE, join(work, 'token')),
  );
}

/** Three good spans, one of them with an address of mail, one without ids, and a request that has to wait. */
async function sendTelemetry({ otlpHttp }: Served): Promise<void> {
  const spans = [
    jsonSpan('prometheus', 'root'),
    jsonSpan('prometheus', 'call', 'root', { 'model.name': 'llama-3' }),
    jsonSpan('prometheus', 'note', 'root', { note: 'ask jane@example.com' }),
    { ...jsonSpan('prometheus', 'bad'), spanId: '' },
  ];
  const answer = (await sendSpans(otlpHttp, spans, BEARER)) as {
    partialSuccess?: { rejectedSpans?: unknown };
  };
  assert.equal(Number(answer.partialSuccess?.rejectedSpans), 1);
  const long = jsonSpan('prometheus', 'long', 'root', { text: 'x'.repeat(MAX_INFLIGHT_BYTES) });
  await assert.rejects(sendSpans(otlpHttp, [long], BEARER), /429/);
}

async function checkScraped(prometheus: Prometheus, served: Served): Promise<void> {
  await steps.step('the target is up, asked with the token', () =>
    within(SCRAPES_TIMEOUT_MS, 'the target is up', async () => {
      const [target] = await prometheus.targets();
      assert.notEqual(target?.health, 'down', target?.lastError);
      return target?.health === 'up' ? true : undefined;
    }),
  );
  // A rate needs two samples, and these spans make the rates more than 0.
  const more = [jsonSpan('more', 'root'), jsonSpan('more', 'child', 'root', { note: 'ask joe@example.com' })];
  await sendSpans(served.otlpHttp, more, BEARER);
  await within(SCRAPES_TIMEOUT_MS, 'three scrapes', async () => {
    const [scrapes] = await prometheus.query('count_over_time(up[5m])');
    return Number(scrapes?.value[1]) >= 3 ? true : undefined;
  });

  const names = await prometheus.metricNames();
  for (const { name, kind } of ALL_INSTRUMENTS) {
    const plain = name.replaceAll('.', '_');
    const series = { counter: ['_total'], gauge: [''], histogram: ['_bucket', '_sum', '_count'] }[kind];
    await steps.step(`metric ${name} is there`, () => {
      for (const suffix of series) assert.ok(names.has(plain + suffix), `${plain}${suffix} is missing`);
    });
  }
  await steps.step('the figures are those of what was sent', async () => {
    const [created] = await prometheus.query('explain_node_created_total');
    assert.equal(created?.value[1], '5');
    const [rejected] = await prometheus.query(
      'explain_records_rejected_total{signal="span",reason="invalid"}',
    );
    assert.equal(rejected?.value[1], '1');
    const [refused] = await prometheus.query('explain_requests_refused_total');
    assert.equal(refused?.value[1], '1');
    const [limit] = await prometheus.query('explain_memory_limit');
    assert.equal(Number(limit?.value[1]), DEFAULT_MAX_MEMORY_BYTES);
    const redacted = await prometheus.query('sum(explain_pii_redactions_total)');
    assert.ok(Number(redacted[0]?.value[1]) >= 1);
    const [rate] = await prometheus.query('sum(increase(explain_records_accepted_total[5m])) > 0');
    assert.ok(rate, 'no increase is seen');
  });
  await checkRules(prometheus);
  await checkDashboard(prometheus);
}

async function checkRules(prometheus: Prometheus): Promise<void> {
  const rules = await steps.step('the alert rules are loaded and evaluated', () =>
    within(SCRAPES_TIMEOUT_MS, 'every rule is evaluated', async () => {
      const all = await prometheus.rules();
      assert.ok(all.length > 0, 'no rule is loaded');
      return all.every(({ health }) => health !== 'unknown') ? all : undefined;
    }),
  );
  for (const { name, query, health, lastError } of rules ?? [])
    await steps.step(`alert ${name} asks for what is there`, async () => {
      assert.equal(health, 'ok', lastError);
      await asksForWhatIsThere(prometheus, query);
    });
  await steps.step('a service that is well raises no alert', async () => {
    const firing = await prometheus.query('ALERTS{alertstate="firing"}');
    assert.deepEqual(
      firing.map(({ metric }) => metric['alertname']),
      [],
    );
  });
}

async function checkDashboard(prometheus: Prometheus): Promise<void> {
  const file = join(ROOT, 'config/grafana/dashboards/explainability-agent.json');
  const dashboard = JSON.parse(await readFile(file, 'utf8')) as Dashboard;
  const expressions = dashboardExpressions(dashboard);
  for (const { title, expr } of expressions)
    await steps.step(`dashboard, ${title}: ${expr.slice(0, 60)}…`, async () => {
      await asksForWhatIsThere(prometheus, expr);
      assert.ok((await prometheus.query(expr)).length > 0, `nothing is shown for ${expr}`);
    });
  await steps.step('the dashboard shows every metric', () => {
    const shown = new Set(expressions.flatMap(({ expr }) => selectors(expr)).map(({ name }) => name));
    for (const { name } of ALL_INSTRUMENTS) {
      const plain = name.replaceAll('.', '_');
      assert.ok(
        [...shown].some((metric) => metric.startsWith(plain)),
        `${name} is on no panel`,
      );
    }
  });
}

/** Every metric, with its label matchers, has a series: a name or a label that is misspelt has none. */
async function asksForWhatIsThere(prometheus: Prometheus, expr: string): Promise<void> {
  await prometheus.query(expr);
  const asked = selectors(expr);
  assert.ok(asked.length > 0, `no metric is asked for in ${expr}`);
  for (const { name, matchers } of asked) {
    const selector = matchers.includes(ONLY_WHEN_FULL) ? name : name + matchers;
    assert.ok((await prometheus.query(selector)).length > 0, `there is no series ${selector}`);
  }
}
