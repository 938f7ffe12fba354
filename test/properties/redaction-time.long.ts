import { test } from 'node:test';
import { createRedactor } from '../../src/redaction/redactor.ts';
import { assertCpuTime } from '../support/cpu-time.ts';
import { worstCases } from '../support/redaction-worst-cases.ts';

const redactor = createRedactor({ key: new Uint8Array(32).fill(6), maxCodeSnippetChars: 2000 });

/** Quadratic work on texts of this length takes half a second, linear work two milliseconds. */
const LENGTH = 20_000;
const MAX_MS = 150;

test('[RD4] no text takes out of proportion to its length', () => {
  for (const [name, text] of worstCases(LENGTH)) assertCpuTime(MAX_MS, () => redactor.redactText(text), name);
});
