import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Command } from '../../cli/run-command.ts';

const THOUGHT = {
  requestId: 'r1',
  taskId: 'sent by a command',
  sequence: 0,
  timestamp: 1,
  textDelta: 'Over TLS.',
  isFinal: true,
};
const RUN = { threadId: 'told by the tee', runId: 'run-1' };

interface Service {
  /** `https://host:port` of the readers' port. */
  readonly url: string;
  readonly caFile: string;
  readonly adminToken: string;
}

/**
 * Commands, each in a process of its own, with a key that a command has made: what one sends another sees live.
 * @returns the key
 */
export async function commands({ url, caFile, adminToken }: Service): Promise<string> {
  const ends: (() => unknown)[] = [];
  const test = { after: (end: () => unknown) => void ends.push(end) };
  const to = ['--url', url, '--ca', caFile];
  const started = (args: readonly string[], token: string, input?: string): Command =>
    new Command(test, args, {
      env: { EXPLAINABILITY_AGENT_TOKEN: token },
      ...(input !== undefined && { input }),
    });
  const done = async (command: Command): Promise<string> => {
    assert.equal(await command.exit(), 0, command.stderr);
    return command.stdout;
  };
  const agent = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const type of ['RUN_STARTED', 'RUN_FINISHED'])
      response.write(`data: ${JSON.stringify({ type, ...RUN })}\n\n`);
    response.end();
  });
  try {
    const roles = ['--role', 'sender', '--role', 'analyst'];
    const key = (await done(started(['keys', 'create', 'commands', ...roles, ...to], adminToken))).trim();
    const watch = started(['watch', '--json', '--all', ...to], key);
    await done(started(['send', '-', ...to], key, JSON.stringify(THOUGHT)));
    await watch.prints(/sent by a command/);

    agent.listen(0, '127.0.0.1');
    await once(agent, 'listening');
    const { port } = agent.address() as AddressInfo;
    const tee = started(['ag-ui', 'tee', `http://127.0.0.1:${port}/agent`, ...to], key);
    await tee.prints(/^http\S+ answers as/m);
    const answer = await fetch(tee.stdout.split(' ')[0] ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...RUN, state: {}, messages: [], tools: [], context: [], forwardedProps: {} }),
    });
    assert.match(await answer.text(), /RUN_FINISHED/);
    await watch.prints(/run-1/);
    assert.equal(watch.stderr + tee.stderr, '');
    return key;
  } finally {
    agent.close();
    for (const end of ends) end();
  }
}

/** The demo with TLS on all its ports plays into itself, and a command sees it. */
export async function demo(at: (name: string) => string): Promise<void> {
  const ends: (() => unknown)[] = [];
  const test = { after: (end: () => unknown) => void ends.push(end) };
  try {
    const tls = JSON.stringify({ certFile: at('chain.crt'), keyFile: at('server.key') });
    const ports = ['--port', '0', '--otlp-grpc-port', '0', '--otlp-http-port', '0'];
    const playing = new Command(test, ['demo', ...ports, '--tls', tls], {
      env: { HOME: at('.'), EXPLAINABILITY_AGENT_CA: at('ca.crt') },
    });
    await playing.prints(/^readers\s+https:\/\/\S+/m);
    const url = /^readers\s+(https:\/\/[^\s/]+)/m.exec(playing.stdout)?.[1] ?? '';
    const watch = new Command(test, ['watch', '--json', '--url', url, '--ca', at('ca.crt')]);
    await watch.prints(/"taskId":"[^"]+"/);
  } finally {
    for (const end of ends) end();
  }
}
