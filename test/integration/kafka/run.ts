import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { within } from '../steps/child.ts';
import { FREE_PORTS, serve, type Served } from '../steps/serve.ts';
import { Steps } from '../steps/steps.ts';
import { Broker, kafkaJars } from './broker.ts';
import { holdsAll, piecesOf, Sent, textsOf } from './sent.ts';
import { Topics } from './topics.ts';

/**
 * A real broker in front of the service: what is sent before it starts, while it is down, through a restart of the broker
 * and through kills of the service between keeping and committing is there in the end, once.
 * Needs Java, and Maven for the first time. Usage: npm run test:kafka
 */
const MAIN = resolve(import.meta.dirname, '../../../src/main.ts');
const GROUP = 'explainability-agent';
const PARTITIONS = 3;
/** Each costs the ten seconds after which the broker gives up the one that was killed. */
const KILLS = 2;
/** Reached only where something is broken, or the machine is very busy. */
const DEADLINE_MS = 60_000;

const steps = new Steps();
const jars = await kafkaJars((what) => console.log(`  ${what}`));
if (jars === undefined) console.log('- Kafka: not run, Java (and Maven for the first time) is not there');
else await runAll(jars);
steps.finish();

async function runAll(jarFolder: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'explain-kafka-'));
  const services: Served[] = [];
  let broker: Broker | undefined;
  try {
    const started = await steps.step('a broker starts', () => Broker.start(jarFolder, work));
    if (!started) return;
    broker = started;
    const topics = new Topics(broker.address);
    await topics.create(['thoughts', 'events'], PARTITIONS);
    const sent = new Sent(topics);
    const start = async (folder = 'graph'): Promise<Served> => {
      const kafka = {
        brokers: [started.address],
        cotTopic: 'thoughts',
        eventTopic: 'events',
        groupId: GROUP,
      };
      const args = [
        MAIN,
        'serve',
        ...FREE_PORTS,
        '--data-dir',
        join(work, folder),
        '--kafka',
        JSON.stringify(kafka),
      ];
      const served = await serve(process.execPath, args, { env: { ...process.env, HOME: work } });
      services.push(served);
      return served;
    };
    const step: Step = async (name, check) => {
      await steps.step(name, check);
      await stopAll(services);
    };
    await checkAll(step, started, topics, sent, start);
  } finally {
    await stopAll(services);
    await broker?.kill();
    await rm(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** A check that leaves no service behind, also when it fails: the next one needs the data folder and the partitions. */
type Step = (name: string, check: () => Promise<void>) => Promise<void>;

async function stopAll(services: Served[]): Promise<void> {
  await Promise.all(services.splice(0).map(({ child }) => child.stop('SIGKILL')));
}

async function checkAll(
  step: Step,
  broker: Broker,
  topics: Topics,
  sent: Sent,
  start: (folder?: string) => Promise<Served>,
): Promise<void> {
  await step('[KA1] what was sent before the service started is read', async () => {
    await sent.thoughts(['r1', 'r2', 'r3'], 5);
    await sent.event('e1');
    const service = await start();
    await holdsAll(service, sent);
    await committed(topics);
    assert.equal(await service.child.stop(), 0, service.child.stderr);
  });
  await step('[KA2] what was sent while it was down comes after it, in the same thoughts', async () => {
    await sent.thoughts(['r1', 'r4'], 5);
    await sent.event('e2');
    const service = await start();
    await holdsAll(service, sent);
    assert.equal(await service.child.stop(), 0, service.child.stderr);
    assert.equal(await lag(topics), 0, 'a clean stop has committed all');
  });
  await step(
    '[KA4] messages that cannot be read are named and skipped, and the others are taken',
    async () => {
      const service = await start();
      const poison = ['{"requestId": hunter2', 'hunter2', '{"requestId":"r1"}', '[{"text":"hunter2"}]'];
      await topics.send(
        'thoughts',
        poison.map((value) => ({ key: 'r1', value })),
      );
      await sent.thoughts(['r1'], 3);
      await holdsAll(service, sent);
      const said = await within(DEADLINE_MS, 'the log names them', () => {
        const lines = service.child.stdout + service.child.stderr;
        return poison.length <= lines.split('"thoughts/').length - 1 ? lines : undefined;
      });
      assert.match(said, /"message":"thoughts\/\d\/\d+"/);
      assert.doesNotMatch(said, /hunter2/);
      assert.match(await metrics(service), /records_rejected_total\{signal="cot",reason="unparsable"\} 2/);
      await committed(topics);
      assert.equal(await service.child.stop(), 0);
    },
  );
  await step(
    '[KA5] a broker that is away is said once, in the log and /readyz, until it is back',
    async () => {
      const service = await start();
      await sent.thoughts(['r5'], 3);
      await holdsAll(service, sent);
      await broker.kill();
      let away;
      try {
        away = await within(DEADLINE_MS, '/readyz says so', async () => {
          const answer = await fetch(`http://${service.readers}/readyz`);
          return answer.status === 503 ? answer.text() : undefined;
        });
      } finally {
        await broker.open();
      }
      assert.match(away, /Kafka cannot be read \([A-Z_]+\)/);
      await sent.thoughts(['r5', 'r6'], 3);
      await holdsAll(service, sent);
      await within(DEADLINE_MS, 'it is ready again', async () =>
        (await fetch(`http://${service.readers}/readyz`)).ok ? true : undefined,
      );
      const lines = service.child.stdout.split('\n').concat(service.child.stderr.split('\n'));
      const told = lines.filter((line) => line.includes('it is tried again until it can'));
      assert.ok(told.length >= 1 && told.length <= 2, told.join('\n'));
      assert.equal(await service.child.stop(), 0);
    },
  );
  await step(
    '[KA3] a member comes and goes under load: nothing is lost, and nothing is twice in a graph',
    async () => {
      const ids = Array.from({ length: 30 }, (_, n) => `m${n}`);
      // Two folders hold it, so no later step is to find all of it in one.
      const shared = new Sent(topics);
      const first = await start();
      await shared.thoughts(ids, 3);
      const second = await start('another');
      // Until the second has partitions the first reads all: only what is sent after that is for the second.
      await within(DEADLINE_MS, 'the second reads', async () => {
        await shared.thoughts(ids, 3);
        return (await accepted(second)) > 0 ? true : undefined;
      });
      const sending = shared.thoughts(ids, 20);
      assert.equal(await second.child.stop(), 0);
      await sending;
      await shared.thoughts(ids, 3);
      await committed(topics);
      const again = await start('another');
      await within(DEADLINE_MS, 'together they show all', async () => {
        const [one, two] = await Promise.all([textsOf(first), textsOf(again)]);
        assert.ok(ids.some((id) => two.has(id)));
        // What was kept and not committed when the group changed is in both.
        const shown = ids.every((id) => {
          const pieces = [piecesOf(one.get(id)), piecesOf(two.get(id))];
          for (const of of pieces) assert.equal(new Set(of).size, of.length, `${id}: ${of.join()}`);
          return new Set(pieces.flat()).size === piecesOf(shared.texts.get(id)).length;
        });
        return shown ? true : undefined;
      });
      assert.equal(await again.child.stop(), 0);
      assert.equal(await first.child.stop(), 0);
    },
  );
  await step(
    '[KA3] killed again and again while it reads: nothing is lost, nothing is there twice',
    async () => {
      const ids = Array.from({ length: 40 }, (_, n) => `k${n}`);
      for (let round = 0; round < KILLS; round++) {
        const service = await start();
        const sending = sent.thoughts(ids, 20);
        // At another moment in each round: most often between what is kept and what is committed.
        await within(DEADLINE_MS, 'it reads', async () => ((await accepted(service)) > 0 ? true : undefined));
        await new Promise((done) => setTimeout(done, Math.random() * 300));
        await service.child.stop('SIGKILL');
        await sending;
      }
      const service = await start();
      await holdsAll(service, sent);
      await committed(topics);
      // Whatever still comes again has come by then.
      await holdsAll(service, sent);
      assert.equal(await service.child.stop(), 0);
    },
  );
}

async function metrics({ readers }: Served): Promise<string> {
  return (await fetch(`http://${readers}/metrics`)).text();
}

async function accepted(service: Served): Promise<number> {
  return Number(/records_accepted_total\{signal="cot"\} (\d+)/.exec(await metrics(service))?.[1] ?? 0);
}

async function lag(topics: Topics): Promise<number> {
  return (await topics.lag(GROUP, 'thoughts', PARTITIONS)) + (await topics.lag(GROUP, 'events', PARTITIONS));
}

async function committed(topics: Topics): Promise<void> {
  await within(DEADLINE_MS, 'all is committed', async () => ((await lag(topics)) === 0 ? true : undefined));
}
