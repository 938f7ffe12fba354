import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../e2e/real-service.ts';
import { run, type Result } from './run-command.ts';

test('[AC12] capabilities are given to a key from the shell, and listed with it', async (t) => {
  const dataDir = await temporaryFolder(t);
  const keys = (...args: string[]): Promise<Result> => run(['keys', ...args, '--data-dir', dataDir]);
  const capabilities = [{ kind: 'reasoning/*' }, { kind: 'chat', payload: { to: '!ben' } }];
  const given = capabilities.flatMap((one) => ['--capability', JSON.stringify(one)]);
  const made = await keys('create', 'ann', '--role', 'sender', ...given, '--json');
  assert.equal(made.code, 0, made.stderr);
  assert.deepEqual(
    (JSON.parse(made.stdout) as { readonly capabilities: unknown }).capabilities,
    capabilities,
  );
  await keys('create', 'ben', '--role', 'sender');
  const [, ann, ben] = (await keys('list')).stdout.split('\n');
  assert.match(ann ?? '', /ann .* \{"kind":"reasoning\/\*"\} \{"kind":"chat","payload":\{"to":"!ben"\}\}$/);
  assert.match(ben ?? '', / -$/);
  for (const [wrong, why] of [
    ['reasoning/*', /--capability must be JSON/],
    ['{"kind": "**"}', /capabilities\[0\]: kind must/],
  ] as const) {
    const refused = await keys('create', 'cy', '--role', 'sender', '--capability', wrong);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, why);
  }
});
