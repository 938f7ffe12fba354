import { z } from 'zod';
import { invalid } from '../base/boundary-error.ts';
import type { Capability } from './capability.ts';
import type { KeyLimits } from './key-limits.ts';
import { DEFAULT_PROJECT, isProjectName, PROJECT_NAME_RULE } from '../model/project-name.ts';
import { MAX_CAPABILITIES, readCapability } from './read-capability.ts';
import { ROLES, type Role } from './roles.ts';

const MAX_NAME_CHARS = 100;
const MAX_DAYS = 3650;
const DAY_MS = 86_400_000;

const rolesRule = `roles must be one or several of ${ROLES.join(', ')}`;
const nameRule = `name must say what the key is for, in 1 to ${MAX_NAME_CHARS} characters of one line`;
const projectRule = `project must have ${PROJECT_NAME_RULE}`;
const expiryRule = 'expiresAt must be a time to come, such as "2027-01-31T00:00:00Z"';
const daysRule = `expiresInDays must be a number of days, up to ${MAX_DAYS}`;
const LIMITS = [
  'requestsPerSecond',
  'bytesPerSecond',
  'spansPerSecond',
  'thoughtsPerSecond',
  'subscriptions',
  'connections',
] as const satisfies readonly (keyof KeyLimits)[];
const capabilitiesRule = `capabilities must be a list of at most ${MAX_CAPABILITIES} objects {kind, payload?}`;
const limitsRule = `limits must be numbers above 0, by these names: ${LIMITS.join(', ')}`;

const name = z
  .string(nameRule)
  .trim()
  .min(1, nameRule)
  .max(MAX_NAME_CHARS, nameRule)
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, nameRule);
const roles = z.array(z.enum(ROLES, rolesRule), rolesRule).min(1, rolesRule).max(ROLES.length, rolesRule);
const project = z.string(projectRule).refine(isProjectName, projectRule);
const limit = z.number(limitsRule).positive(limitsRule).max(1e12, limitsRule);
const limits = z.partialRecord(z.enum(LIMITS, limitsRule), limit, limitsRule);

const capability = z.unknown().transform((given, context): Capability => {
  const read = readCapability(given);
  if (typeof read !== 'string') return read;
  context.addIssue({ code: 'custom', message: read });
  return z.NEVER;
});
const capabilities = z.array(capability, capabilitiesRule).max(MAX_CAPABILITIES, capabilitiesRule);

const requestSchema = z.strictObject(
  {
    name,
    roles,
    project: project.default(DEFAULT_PROJECT),
    expiresAt: z.iso.datetime({ offset: true, error: expiryRule }).optional(),
    expiresInDays: z.number(daysRule).positive(daysRule).max(MAX_DAYS, daysRule).optional(),
    limits: limits.optional(),
    capabilities: capabilities.optional(),
  },
  'the body takes name, roles, project, expiresAt or expiresInDays, limits and capabilities',
);

/** What is told of a key; never the key. */
export interface KeyInfo {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly (typeof ROLES)[number][];
  readonly project: string;
  /** ISO 8601, as all times here. */
  readonly createdAt: string;
  readonly expiresAt?: string | undefined;
  /** Roughly: to the minute, and what was not written yet when the process was killed is not known. */
  readonly lastUsedAt?: string | undefined;
  readonly limits?: KeyLimits | undefined;
  /** What it may say by MEW, and whom it may interrupt; absent: all that its roles allow. */
  readonly capabilities?: readonly Capability[] | undefined;
}

/** As it is kept. */
export interface KeyRecord extends KeyInfo {
  /** SHA-256 in hex. */
  readonly hash: string;
  /** Before it was rotated; good until then. */
  readonly before?: { readonly hash: string; readonly until: string } | undefined;
}

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const recordSchema = z.strictObject({
  id: z.string().min(1).max(64),
  name,
  roles: z.array(z.enum(ROLES)),
  project,
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
  lastUsedAt: z.iso.datetime().optional(),
  limits: limits.optional(),
  capabilities: capabilities.optional(),
  hash,
  before: z.strictObject({ hash, until: z.iso.datetime() }).optional(),
});

/** @throws ZodError when it is none */
export const keyFileSchema = z.strictObject({ format: z.literal(1), keys: z.array(recordSchema) });

export type NewKey = Pick<KeyInfo, 'name' | 'roles' | 'project' | 'expiresAt' | 'limits' | 'capabilities'>;

/** What somebody wants of a key. @param now milliseconds since the epoch @throws BoundaryError INVALID_ARGUMENT */
export function readNewKey(request: unknown, now: number): NewKey {
  const { data, error } = requestSchema.safeParse(request);
  if (error) throw invalid(problemOf(error.issues[0]));
  const { expiresAt, expiresInDays, roles: wanted, ...rest } = data;
  if (wanted.includes('gateway')) checkGateway(wanted, rest.capabilities);
  if (expiresAt !== undefined && expiresInDays !== undefined)
    throw invalid('give expiresAt or expiresInDays, not both');
  const end = expiresInDays === undefined ? expiresAt : new Date(now + expiresInDays * DAY_MS).toISOString();
  if (end !== undefined && Date.parse(end) <= now) throw invalid(expiryRule);
  return { ...rest, roles: [...new Set(wanted)], ...(end !== undefined && { expiresAt: end }) };
}

/** What it may for its callers is what each of them may: nothing of its own is to be mixed up with that. */
function checkGateway(wanted: readonly Role[], own: readonly Capability[] | undefined): void {
  if (wanted.some((role) => role !== 'gateway'))
    throw invalid('the role gateway stands alone: make another key for what the gateway does itself');
  if (own !== undefined)
    throw invalid('a key of the role gateway takes no capabilities: those of each caller hold');
}

function problemOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'it is not what makes a key';
  const [field, index] = issue.path;
  const isOfOne = field === 'capabilities' && typeof index === 'number';
  return isOfOne ? `capabilities[${index}]: ${issue.message}` : issue.message;
}
