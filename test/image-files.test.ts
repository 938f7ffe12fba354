import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

/** The services of the compose file by name, each as its lines; read by indentation, which the formatter keeps. */
function composeServices(): ReadonlyMap<string, string> {
  const [, all = ''] = /^services:\n([\s\S]*?)^\S/m.exec(read('docker-compose.yml')) ?? [];
  return new Map(
    all.split(/^(?= {2}[\w-]+:\n)/m).flatMap((block) => {
      const [, name] = /^ {2}([\w-]+):\n/.exec(block) ?? [];
      return name === undefined ? [] : [[name, block] as const];
    }),
  );
}

test('[AC83] the image runs as a user without rights, and nothing secret is built into it', () => {
  const dockerfile = read('Dockerfile');
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  assert.deepEqual(last.match(/^USER .*$/gm), ['USER 1000:1000']);
  assert.ok(last.indexOf('\nUSER ') < last.indexOf('\nENTRYPOINT '));
  assert.match(last, /^RUN install -d -o node -g node -m 0700 \/data$/m);
  assert.doesNotMatch(dockerfile, /^(?:ARG|ENV|\s).*(?:TOKEN|PASSWORD|SECRET|KEY)\w*=/im);
  assert.doesNotMatch(dockerfile, /curl|wget|ADD http|apt-get|--privileged/);
  for (const [call] of dockerfile.matchAll(/npm (?:ci|install)[^\n]*/g))
    assert.match(call, /--ignore-scripts/);
});

test('[AC83] each container drops its capabilities, gains no privileges, and is bound; the service’s root is read-only', () => {
  const services = composeServices();
  assert.ok(services.size >= 5, [...services.keys()].join());
  for (const [name, lines] of services) {
    assert.match(lines, /^ {4}cap_drop: \[ALL\]$/m, name);
    assert.match(lines, /^ {4}security_opt: \['no-new-privileges:true'\]$/m, name);
    assert.doesNotMatch(lines, /privileged: true|network_mode: host|pid: host|docker\.sock/, name);
    // Grafana unpacks plugins and certificates beside its volume.
    if (name !== 'grafana') assert.match(lines, /^ {4}read_only: true$/m, name);
    for (const [, port = ''] of (/^ {4}ports: (.*)$/m.exec(lines)?.[1] ?? '').matchAll(/'([^']+)'/g))
      assert.match(port, /^127\.0\.0\.1:/, name);
    if (!/restart: unless-stopped/.test(lines)) continue;
    assert.match(lines, /^ {4}mem_limit: /m, name);
  }
  assert.match(services.get('explainability-agent') ?? '', /^ {4}pids_limit: /m);
  assert.doesNotMatch(
    read('docker-compose.yml'),
    /(?:TOKEN|PASSWORD): ['"]?[A-Za-z0-9]{8,}/,
    'no secret stands in it',
  );
});
