import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Principal } from '../../access/principal.ts';
import type { ControlFrame } from '../../servers/control-api.ts';
import { ControlPlaces } from './control-places.ts';
import { ControlTarget } from './control-target.ts';

const AGENT: Principal = { by: 'key', id: 'k-agent', name: 'coder', roles: ['sender'], project: 'default' };

test('[IR7] what was told is forgotten when 5,000 came after it; what is open, however old, goes last', () => {
  const control = new ControlTarget(new ControlPlaces());
  const frames: ControlFrame[] = [];
  const stream = { send: (frame: ControlFrame) => void frames.push(frame), end: () => undefined };
  control.wait(AGENT, { agent: 'A' }, stream);
  const about = { agent: 'A' };
  control.tellApproval({
    id: 'open for days',
    about,
    isFor: () => true,
    over: new AbortController().signal,
    said: { state: 'approved', nodeId: 'n' } as never,
  });
  for (let n = 0; n < 5_001; n++) {
    const ending = new AbortController();
    const interrupt = { id: String(n), reason: 'timeout', about, by: 'ops', at: 0 } as never;
    control.send(interrupt, { told: () => () => false, over: ending.signal });
    ending.abort();
  }
  const idOf = (at: number): unknown => (frames[at] as { readonly id?: unknown } | undefined)?.id;
  const answered = (at: number): string | undefined => {
    try {
      return void control.answer(AGENT, { id: idOf(at), status: 'stopping' });
    } catch (error) {
      return (error as { readonly code: string }).code;
    }
  };
  assert.deepEqual(frames.length, 5_003, 'one that it waits, one for each');
  assert.deepEqual([answered(2), answered(3)], ['NOT_FOUND', 'NOT_FOUND']);
  assert.equal(answered(4), 'FAILED_PRECONDITION', 'it is known that it is too late');
  assert.deepEqual(control.answer(AGENT, { id: idOf(1), received: true }), { id: idOf(1) });
});
