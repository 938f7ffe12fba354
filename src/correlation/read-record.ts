import { createLogInterpreter } from '../conventions/interpret-log.ts';
import { createInterpreter } from '../conventions/interpret-span.ts';
import { compileTypeRules, type TypeRuleSpec } from '../conventions/type-rules.ts';
import type { CotText, Facts } from '../model/facts.ts';
import type { SafeRecord } from '../model/pipeline.ts';
import { eventFacts } from './event-facts.ts';
import type { Taken } from './journal.ts';
import { withOwnIds, type OwnId } from './own-ids.ts';

export type ReduceFacts = <T extends Facts>(facts: T) => T;

/** What correlation keeps of a record; nothing of one that has no place in the graph. */
export type ReadRecord = (record: SafeRecord) => readonly Taken[];

/** @throws BoundaryError INVALID_ARGUMENT for a bad rule */
export function recordReader(
  kept: ReduceFacts,
  rules: readonly TypeRuleSpec[],
  ownId: OwnId = (id) => id,
): ReadRecord {
  const reduce: ReduceFacts = (facts) => kept(withOwnIds(facts, ownId));
  const typeRules = compileTypeRules(rules);
  const interpretSpan = createInterpreter({ typeRules });
  const interpretLog = createLogInterpreter({ typeRules });
  return (record) => {
    switch (record.kind) {
      case 'span': {
        const { facts, implied, texts } = interpretSpan(record);
        const span = { facts: reduce(facts), texts };
        return implied ? [span, ...implied.map((open) => ({ facts: reduce(open) }))] : [span];
      }
      case 'cot':
        return [{ facts: reduce<CotText>(record) }];
      case 'event':
        return [{ facts: reduce(eventFacts(record)) }];
      case 'log': {
        // One that is neither thought nor event and tells of no step.
        const log = interpretLog(record);
        return log ? [{ facts: reduce(log.facts), texts: log.texts }] : [];
      }
      case 'metric':
        // Points are joined first; what is kept is what was joined to a step.
        return [];
    }
  };
}
