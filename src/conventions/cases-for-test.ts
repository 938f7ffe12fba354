import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttributeValue } from '../model/attributes.ts';
import type { StepCause, StepFacts, StepTexts } from '../model/facts.ts';
import { interpretLog } from './interpret-log.ts';
import { interpretSpan } from './interpret-span.ts';
import { logOf, type LogSketch } from './log-for-test.ts';
import { spanOf, type SpanSketch } from './span-for-test.ts';

/** Tables of attributes and of what is read out of them. A field that is expected to be undefined must be absent. */

interface Expected {
  readonly title: string;
  readonly attributes: Record<string, AttributeValue>;
  readonly step: { readonly [Field in keyof StepFacts]?: StepFacts[Field] | undefined };
  readonly details?: Record<string, unknown>;
  /** All of them. */
  readonly texts?: StepTexts | undefined;
}

export interface SpanCase extends Expected {
  readonly span?: SpanSketch;
}

export interface LogCase extends Expected {
  readonly log?: LogSketch;
  readonly causes?: readonly StepCause[];
}

/** @param rule the id of the rule that the cases prove */
export function testSpans(rule: string, cases: readonly SpanCase[]): void {
  for (const { title, attributes, span, ...expected } of cases) {
    void test(`[${rule}] ${title}`, () => {
      const { facts, texts } = interpretSpan(spanOf(attributes, span));
      check(facts.step, texts.texts, expected);
    });
  }
}

/** @param rule the id of the rule that the cases prove */
export function testLogs(rule: string, cases: readonly LogCase[]): void {
  for (const { title, attributes, log, causes, ...expected } of cases) {
    void test(`[${rule}] ${title}`, () => {
      const told = interpretLog(logOf(attributes, log));
      assert.ok(told !== undefined, 'a step');
      check(told.facts.step, told.texts.texts, expected);
      if (causes !== undefined) assert.deepEqual(told.facts.causes ?? [], causes);
    });
  }
}

function check(
  step: StepFacts,
  texts: StepTexts | undefined,
  expected: Omit<Expected, 'title' | 'attributes'>,
): void {
  for (const [field, value] of Object.entries(expected.step))
    assert.deepEqual(step[field as keyof StepFacts], value, field);
  for (const [field, value] of Object.entries(expected.details ?? {}))
    assert.deepEqual(step.details[field], value, `details.${field}`);
  if ('texts' in expected) assert.deepEqual(texts, expected.texts);
}
