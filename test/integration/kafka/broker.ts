import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Child, run, succeed, within } from '../steps/child.ts';
import { freePorts } from '../collector/free-ports.ts';

const KAFKA = '4.1.0';
const LOG4J = '2.24.3';
/** A broker is open after 2 to 7 seconds on an idle machine. */
const OPEN_MS = 60_000;
/** Small enough for a machine that does other things as well. */
const JAVA = ['-Xmx256m', '-XX:+UseSerialGC'];

/** Kafka and what it needs, from Maven Central; kept in the user's cache. @returns undefined without Java or Maven */
export async function kafkaJars(tell: (what: string) => void): Promise<string | undefined> {
  const java = await run('java', ['-version']);
  if (java.code !== 0) return undefined;
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folder = join(cache, 'explainability-agent', `kafka-${KAFKA}`);
  if (existsSync(folder)) return folder;
  const maven = await run('mvn', ['--version']);
  if (maven.code !== 0) return undefined;
  tell('getting Kafka from Maven Central, which takes half a minute; it is kept for the next time');
  const work = `${folder}.${process.pid}`;
  await mkdir(work, { recursive: true });
  try {
    await writeFile(join(work, 'pom.xml'), pom());
    const goals = ['dependency:copy-dependencies', '-DoutputDirectory=lib', '-DincludeScope=runtime'];
    await succeed('mvn', ['-q', '-B', ...goals], { cwd: work });
    await rename(join(work, 'lib'), folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return folder;
}

function pom(): string {
  const dependencies = [
    ['org.apache.kafka', 'kafka_2.13', KAFKA],
    ['org.apache.logging.log4j', 'log4j-slf4j-impl', LOG4J],
  ].map(
    ([group, name, version]) =>
      `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`,
  );
  return `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
    <groupId>test</groupId><artifactId>test</artifactId><version>1</version>
    <dependencies>${dependencies.join('')}</dependencies></project>`;
}

/** One broker in a folder of its own, which can be killed and started again. */
export class Broker {
  readonly address: string;
  private readonly java: (args: readonly string[]) => readonly string[];
  private readonly config: string;
  private child: Child | undefined;

  private constructor(jars: string, address: string, config: string) {
    this.java = (args) => [...JAVA, '-cp', join(jars, '*'), ...args];
    this.address = address;
    this.config = config;
  }

  static async start(jars: string, folder: string): Promise<Broker> {
    const [port = 0, controller = 0] = await freePorts(2);
    const config = join(folder, 'server.properties');
    await writeFile(config, properties(port, controller, join(folder, 'data')));
    const broker = new Broker(jars, `127.0.0.1:${port}`, config);
    const id = (await succeed('java', broker.java(['kafka.tools.StorageTool', 'random-uuid']))).trim();
    await succeed('java', broker.java(['kafka.tools.StorageTool', 'format', '-t', id, '-c', config]));
    await broker.open();
    return broker;
  }

  /** Starts it, again if it was killed; resolves when it listens. */
  async open(): Promise<void> {
    this.child = new Child('java', this.java(['kafka.Kafka', this.config]));
    await within(OPEN_MS, 'the broker listens', () => isOpen(this.address));
  }

  async kill(): Promise<void> {
    this.child?.kill();
    await this.child?.ended(10_000);
  }
}

async function isOpen(address: string): Promise<true | undefined> {
  const [host = '', port] = address.split(':');
  return new Promise((resolve) => {
    const socket = createConnection({ host, port: Number(port) });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(undefined));
  });
}

function properties(port: number, controller: number, data: string): string {
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controller}
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}
advertised.listeners=PLAINTEXT://127.0.0.1:${port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=PLAINTEXT
log.dirs=${data}
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
log.cleaner.dedupe.buffer.size=8388608
offsets.topic.num.partitions=3
offsets.topic.replication.factor=1
`;
}
