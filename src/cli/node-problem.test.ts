import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEAST_NODE } from '../base/version.ts';
import { nodeProblem } from './node-problem.ts';

test('[PK1] on a Node that is too old every command says which it needs', () => {
  assert.match(LEAST_NODE, /^\d+\.\d+$/);
  const [major = 0, minor = 0] = LEAST_NODE.split('.').map(Number);
  for (const old of ['20.20.2', `${major - 1}.99.0`, `${major}.${minor - 1}.9`]) {
    assert.equal(
      nodeProblem(old)?.message,
      `it needs Node ${LEAST_NODE} or later, and runs on ${old}: install a newer Node`,
    );
  }
  for (const known of [
    `${LEAST_NODE}.0`,
    `${major}.${minor + 1}.0`,
    `${major + 1}.0.0`,
    process.versions.node,
  ]) {
    assert.equal(nodeProblem(known), undefined, known);
  }
});
