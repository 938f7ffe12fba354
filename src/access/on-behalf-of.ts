import { z } from 'zod';
import { BoundaryError } from '../base/boundary-error.ts';
import { isProjectName, PROJECT_NAME_RULE } from '../model/project-name.ts';
import type { Capability } from './capability.ts';
import type { Principal } from './principal.ts';
import { MAX_CAPABILITIES, readCapability } from './read-capability.ts';
import { ROLES } from './roles.ts';

/** The header, or metadata of gRPC, by which a gateway names its caller: JSON in base64url. */
export const ON_BEHALF_OF = 'x-explain-on-behalf-of';

/** Node reads 16 KiB of headers in all. */
const MAX_CHARS = 8 * 1024;
/** A name of a certificate has up to 1,000 characters, and what says so before it; each gateway on the way adds its own id. */
const MAX_ID_CHARS = 2_000;
const MAX_NAME_CHARS = 200;

/** Whom a gateway asks for, in its words. */
export interface NamedCaller extends Pick<Principal, 'id' | 'name' | 'roles' | 'project'> {
  /** How the gateway knew who it is; absent: it does not say. */
  readonly by?: Principal['by'] | undefined;
  readonly capabilities?: readonly Capability[] | undefined;
}

const BY = [
  'nobody',
  'token',
  'key',
  'person',
  'certificate',
  'program',
  'gateway',
] as const satisfies readonly Principal['by'][];
/** Who speaks for others cannot hand that on. */
const ROLES_OF_CALLERS = ROLES.filter((role) => role !== 'gateway');

const lineRule = (field: string, most: number) =>
  `${field} must be a text of 1 to ${most} characters in one line`;
const line = (field: string, most: number) =>
  z
    .string(lineRule(field, most))
    .min(1, lineRule(field, most))
    .max(most, lineRule(field, most))
    // oxlint-disable-next-line no-control-regex -- what would break a line, or turn its direction, is no part of it
    .regex(/^[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]*$/, lineRule(field, most));
const rolesRule = `roles must be one or several of ${ROLES_OF_CALLERS.join(', ')}`;
const projectRule = `project must have ${PROJECT_NAME_RULE}`;
const byRule = `by must be one of ${BY.join(', ')}`;
const capabilitiesRule = `capabilities must be a list of at most ${MAX_CAPABILITIES} objects {kind, payload?}`;
const wholeRule =
  'it must be an object of id, name, roles, project, by (may be left out) and capabilities (only if any)';

const capability = z.unknown().transform((given, context): Capability => {
  const read = readCapability(given);
  if (typeof read !== 'string') return read;
  context.addIssue({ code: 'custom', message: capabilitiesRule });
  return z.NEVER;
});

const callerSchema = z.strictObject(
  {
    id: line('id', MAX_ID_CHARS),
    name: line('name', MAX_NAME_CHARS),
    roles: z.array(z.enum(ROLES, rolesRule), rolesRule).min(1, rolesRule).max(ROLES.length, rolesRule),
    project: z.string(projectRule).refine(isProjectName, projectRule),
    by: z.enum(BY, byRule).optional(),
    capabilities: z.array(capability, capabilitiesRule).max(MAX_CAPABILITIES, capabilitiesRule).optional(),
  },
  wholeRule,
);

/**
 * Headers, or metadata, by which a gateway says for whom it asks.
 * @throws BoundaryError FAILED_PRECONDITION where a cell would not take them: for a gateway itself, or too long
 */
export function onBehalfOf(caller: Principal): { readonly [ON_BEHALF_OF]: string } {
  const { id, name, roles, project, by, capabilities } = caller;
  const named: NamedCaller = { id, name: name.slice(0, MAX_NAME_CHARS), roles, project, by, capabilities };
  const header = Buffer.from(JSON.stringify(named)).toString('base64url');
  try {
    readOnBehalfOf(header);
  } catch (error) {
    const { message } = BoundaryError.from(error);
    throw new BoundaryError('FAILED_PRECONDITION', `a cell cannot be asked for this caller: ${message}`);
  }
  return { [ON_BEHALF_OF]: header };
}

/**
 * @returns whom a gateway names
 * @throws BoundaryError INVALID_ARGUMENT, with what is wrong and nothing of what was sent; PERMISSION_DENIED where the
 *   caller would be a gateway
 */
export function readOnBehalfOf(header: string): NamedCaller {
  if (header.length > MAX_CHARS) throw invalid(`it has more than ${MAX_CHARS} characters`);
  const { data, error } = callerSchema.safeParse(jsonOf(header));
  if (error) throw invalid(error.issues[0]?.message ?? wholeRule);
  if (data.roles.includes('gateway'))
    throw new BoundaryError(
      'PERMISSION_DENIED',
      `${ON_BEHALF_OF} names a caller with the role gateway: that role cannot be handed on`,
    );
  return { ...data, roles: [...new Set(data.roles)] };
}

function jsonOf(header: string): unknown {
  // `Buffer` passes over what is none.
  if (!/^[\w-]+$/.test(header)) throw invalid('it must be JSON in base64url, without padding');
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'base64url'));
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid('it must be JSON in base64url, without padding');
  }
}

function invalid(problem: string): BoundaryError {
  return new BoundaryError('INVALID_ARGUMENT', `${ON_BEHALF_OF}: ${problem}`);
}
