import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configFromObject } from './object-layer.ts';
import { projectsNamed } from './projects.ts';

function problems(given: object): ReadonlyMap<string, string> {
  const loaded = configFromObject(given, { homeDir: '/nonexistent' });
  assert.ok(!loaded.ok, 'was accepted');
  return new Map(loaded.problems.map(({ path, message }) => [path, message]));
}

test('[AC44] what is wrong with a project is told by its place', () => {
  const found = problems({
    projects: {
      'team-a': { persistRetentionDays: 0 },
      'team-b': { agUiAgents: ['agent'], visibility: { '*': 'none' }, dataDir: '/x' },
      'Team C': {},
      default: {},
    },
    forward: { endpoint: 'http://127.0.0.1:1', project: '../x' },
    interruptWebhook: { url: 'http://127.0.0.1:1', secret: 'short' },
    kafka: { brokers: ['a:1'], cotTopic: 't', project: 'A' },
  });
  const expected: [string, RegExp][] = [
    ['config.projects.team-a.persistRetentionDays', /./],
    ['config.projects.team-b.agUiAgents[0]', /^must be an address with http or https/],
    ['config.projects.team-b.visibility.*', /./],
    ['config.projects.team-b', /unknown key; the keys of a project are agUiAgents, visibility/],
    ['config.projects.Team C', /a name has 1 to 63 lower-case letters/],
    ['config.projects.default', /the settings of the project "default" are those outside/],
    ['config.forward', /"project": …/],
    ['config.interruptWebhook', /the secret has 16 to 4096/],
    ['config.kafka.project', /^must be the name of a project: 1 to 63/],
  ];
  for (const [path, message] of expected) assert.match(found.get(path) ?? `nothing about ${path}`, message);
  assert.deepEqual([...found.keys()].sort(), expected.map(([path]) => path).sort());
});

test('[AC44] settings name no more projects than there may be', () => {
  const given = {
    projects: { a: {}, b: {} },
    interruptWebhook: { url: 'http://127.0.0.1:1', secret: 's'.repeat(16), project: 'b' },
    kafka: { brokers: ['a:1'], cotTopic: 't', project: 'c' },
    forward: { endpoint: 'http://127.0.0.1:1', project: 'default' },
    people: {
      ldap: {
        url: 'ldaps://directory.example',
        searchBase: 'dc=example',
        groupBase: 'dc=example',
        roles: { all: { roles: ['reader'] }, some: { roles: ['reader'], project: 'd' } },
      },
    },
  };
  assert.match(problems({ ...given, maxProjects: 4 }).get('config.maxProjects') ?? '', /^must be above 4: /);
  const loaded = configFromObject({ ...given, maxProjects: 5 }, { homeDir: '/nonexistent' });
  assert.ok(loaded.ok);
  assert.deepEqual([...projectsNamed(loaded.config)], ['a', 'b', 'c', 'd']);
});
