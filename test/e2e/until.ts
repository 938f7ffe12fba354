import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';

/** Generous: reached only where something is broken, or the machine is very busy. */
const DEADLINE_MS = 15_000;
const PAUSE_MS = 10;

/** Waits until the condition holds, and fails with `what` when it never does. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, `waited ${DEADLINE_MS} ms in vain until ${what}`);
    await setTimeout(PAUSE_MS);
  }
}
