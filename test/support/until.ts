import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';

/** Generous: reached only where something is broken, or the machine is very busy. `UNTIL_SECONDS` sets another. */
export const DEADLINE_MS = Number(process.env['UNTIL_SECONDS'] ?? 60) * 1000;
/** Of a test that would wait for ever where its rule is broken, such as for a clock that stands still. */
export const BOUNDED = { timeout: DEADLINE_MS };
const PAUSE_MS = 10;
/** What takes long is looked at less often: looking costs those who are waited for. */
const MAX_PAUSE_MS = 100;

/** A tenth of the time that was waited. */
function pause(sinceMs: number): Promise<void> {
  return setTimeout(Math.min(MAX_PAUSE_MS, Math.max(PAUSE_MS, (performance.now() - sinceMs) / 10)));
}

/** Waits until the condition holds, and fails with `what` when it never does. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const start = performance.now();
  while (!(await holds())) {
    assert.ok(performance.now() < start + DEADLINE_MS, `waited ${DEADLINE_MS} ms in vain until ${what}`);
    await pause(start);
  }
}

/** Waits until the check passes, and fails as it does when it never does. */
export async function untilPasses(check: () => void | Promise<void>): Promise<void> {
  const start = performance.now();
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > start + DEADLINE_MS) throw error;
    }
    await pause(start);
  }
}
