import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';

const PAUSE_MS = 100;

/** Waits until the condition holds. @throws AssertionError saying what was waited for, when it never does */
export async function waitFor(
  what: string,
  limitMs: number,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, `waited ${limitMs} ms in vain until ${what}`);
    await setTimeout(PAUSE_MS);
  }
}

/** Waits until the check finds nothing wrong. @throws AssertionError with the first problems, when it always does */
export async function waitForNone(
  limitMs: number,
  problems: () => Promise<readonly string[]>,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await problems();
    if (found.length === 0) return;
    const more = found.length > SHOWN ? `\n… and ${found.length - SHOWN} more` : '';
    assert.ok(performance.now() < deadline, `${found.slice(0, SHOWN).join('\n')}${more}`);
    await setTimeout(PAUSE_MS);
  }
}

const SHOWN = 10;
