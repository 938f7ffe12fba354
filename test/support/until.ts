import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';

/** Generous: reached only where something is broken, or the machine is very busy. `UNTIL_SECONDS` sets another. */
const DEADLINE_MS = Number(process.env['UNTIL_SECONDS'] ?? 60) * 1000;
const PAUSE_MS = 10;

/** Waits until the condition holds, and fails with `what` when it never does. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, `waited ${DEADLINE_MS} ms in vain until ${what}`);
    await setTimeout(PAUSE_MS);
  }
}

/** Waits until the check passes, and fails as it does when it never does. */
export async function untilPasses(check: () => void | Promise<void>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await setTimeout(PAUSE_MS);
  }
}
