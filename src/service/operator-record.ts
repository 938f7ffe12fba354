import type { Principal, RefusedEntry } from '../access/principal.ts';
import { askerOf, type AccessRecord } from './access-record.ts';

/** Puts on record what those do who may operate, in the log of their project. */
export interface OperatorRecord {
  readonly pruned: (by: Principal, nodes: number) => void;
  readonly changed: (by: Principal, what: string) => void;
  readonly replayed: (by: Principal, taskId: string) => void;
  readonly annotated: (by: Principal, nodeId: string, kind: string) => void;
  readonly interrupted: (by: Principal, what: string, reason: string) => void;
  readonly guardFired: (by: Principal, taskId: string, why: string) => void;
  /** A tool of MCP. */
  readonly refused: (refused: RefusedEntry & { readonly principal: Principal }) => void;
}

/** @param redact for what senders chose */
export function operatorRecord(accesses: AccessRecord, redact: (text: string) => string): OperatorRecord {
  const note = (
    by: Principal,
    action: 'prune' | 'adaptation' | 'replay' | 'interrupt' | 'annotate' | 'guard',
    node: string,
    { values, why = 'asked for' }: { readonly values?: number; readonly why?: string } = {},
  ): void => {
    void accesses.noted({ action, node, why, ...(values !== undefined && { values }), ...askerOf(by) });
  };
  return {
    pruned: (by, nodes) => note(by, 'prune', 'graph', { values: nodes }),
    changed: (by, what) => note(by, 'adaptation', redact(what)),
    replayed: (by, taskId) => note(by, 'replay', redact(taskId)),
    annotated: (by, nodeId, why) => note(by, 'annotate', redact(nodeId), { why }),
    interrupted: (by, what, why) => note(by, 'interrupt', redact(what), { why }),
    guardFired: (by, taskId, why) => note(by, 'guard', redact(taskId), { why }),
    refused({ way, error, principal, wasLetIn }) {
      const action = wasLetIn === true ? 'failed' : 'denied';
      void accesses.refused({ action, node: way, why: error.code, ...askerOf(principal) });
    },
  };
}
