import { invalid } from '../base/boundary-error.ts';

/** What an administrator may want of a node, checked. */
export interface AdminRequest {
  readonly action: (typeof ACTIONS)[number];
  readonly reason: string;
  /** Of a reveal: what of the node is asked for alone. */
  readonly field?: string;
  /** Of an override: which markers are false positives; all of the node's when absent. */
  readonly markers?: readonly string[];
}

/** Shown once; shown to everybody as a false positive; hidden again. */
const ACTIONS = ['reveal', 'override', 'revoke'] as const;
const FIELDS = [
  'node',
  'prompt',
  'completion',
  'reasoning',
  'toolArguments',
  'toolResult',
  'error',
  'attributes',
];
const MAX_REASON_CHARS = 500;

/** @throws BoundaryError INVALID_ARGUMENT naming the member */
export function readAdminRequest(body: { readonly [key: string]: unknown }): AdminRequest {
  const { action: wanted, reason, field, markers, ...rest } = body;
  const action = ACTIONS.find((name) => name === wanted);
  if (action === undefined) throw invalid(`action must be one of ${ACTIONS.join(', ')}`);
  if (typeof reason !== 'string' || reason.trim() === '' || reason.length > MAX_REASON_CHARS)
    throw invalid(`reason must say why, in 1 to ${MAX_REASON_CHARS} characters: it is kept in the audit log`);
  if (Object.keys(rest).length > 0) throw invalid('the body takes action, reason, field and markers');
  if (field !== undefined && (action !== 'reveal' || typeof field !== 'string' || !FIELDS.includes(field)))
    throw invalid(`field goes with reveal and must be one of ${FIELDS.join(', ')}`);
  if (markers !== undefined && (action !== 'override' || !isTexts(markers)))
    throw invalid('markers goes with override and must be a list of markers as the node shows them');
  return {
    action,
    reason: reason.trim(),
    ...(field !== undefined && { field }),
    ...(markers !== undefined && { markers }),
  };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
