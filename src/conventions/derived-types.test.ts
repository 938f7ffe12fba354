import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeType } from '../model/node.ts';
import { derivedType } from './derived-types.ts';
import { assertCpuTime } from '../../test/support/cpu-time.ts';

const CASES: readonly [string, string | undefined, NodeType | undefined][] = [
  ['run_tests', undefined, 'TEST_RUN'],
  ['runUnitTests', undefined, 'TEST_RUN'],
  ['test-runner', undefined, 'TEST_RUN'],
  ['pytest', undefined, 'TEST_RUN'],
  ['eslint', undefined, 'STATIC_ANALYSIS'],
  ['mcp__semgrep__scan', undefined, 'STATIC_ANALYSIS'],
  ['typeCheck', undefined, 'STATIC_ANALYSIS'],
  ['SonarQube', undefined, 'STATIC_ANALYSIS'],
  ['mcp__sonarqube__search_sonar_issues_in_projects', undefined, 'STATIC_ANALYSIS'],
  ['sonar-scanner', undefined, 'STATIC_ANALYSIS'],
  ['sonar', undefined, undefined],
  ['perplexity_sonar_pro', undefined, undefined],
  ['self_critique', undefined, 'REFLEXION_ACTION'],
  ['verify', undefined, 'REFLEXION_ACTION'],
  ['get_weather', undefined, undefined],
  ['get_latest_results', undefined, undefined],
  ['get_statistics', undefined, undefined],
  ['print', undefined, undefined],
  ['Bash', '{"command":"npm test"}', 'TEST_RUN'],
  ['Bash', '{"command":"cd app && CI=1 npx vitest run"}', 'TEST_RUN'],
  ['bash', '{"command":"python -m pytest -q tests/"}', 'TEST_RUN'],
  ['shell', '{"command":["bash","-lc","cargo test"]}', 'TEST_RUN'],
  ['run_command', 'python reproduce.py', 'TEST_RUN'],
  ['bash', '{"command":"timeout 60 uv run ruff check ."}', 'STATIC_ANALYSIS'],
  ['bash', '{"command":"npm ci && npm run lint"}', 'STATIC_ANALYSIS'],
  ['bash', '{"command":"grep -r pytest ."}', undefined],
  ['bash', '{"command":"cat jest.config.js"}', undefined],
  ['read_file', '{"command":"npm test"}', undefined],
  ['bash', '{"command":{"no":"string"}}', undefined],
  ['bash', '{"command":"npm te', undefined],
];

for (const [tool, args, type] of CASES) {
  test(`[CV5] tool ${tool} with ${args ?? 'no arguments'} is ${type ?? 'a tool call'}`, () => {
    assert.equal(derivedType({ toolName: tool, toolArguments: args, isContainer: false }), type);
  });
}

test('[CV5] a long run of blanks and wrappers is read in linear time', () => {
  for (const toolArguments of [`{"command":"${'A=1 '.repeat(100_000)}"}`, ' '.repeat(400_000)]) {
    assertCpuTime(1000, () => derivedType({ toolName: 'bash', isContainer: false, toolArguments }));
  }
});
