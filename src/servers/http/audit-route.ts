import { invalid } from '../../base/boundary-error.ts';
import { single } from '../query.ts';
import { jsonRoute, type Route } from './route.ts';

/** What administrators did, and who was refused. */
export interface AuditPages {
  /** The newest first of those that have all these values. @param before the `seq` that they are below */
  page(limit: number, before?: number, values?: AuditValues): Promise<readonly object[]>;
}

/** Fields of entries by name, each with what it has to be. */
export type AuditValues = Readonly<Record<string, string>>;

const FILTERS = ['action', 'outcome', 'who'] as const;

const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 100;

/** For administrators. */
export function auditRoute(audit: AuditPages): Route {
  return jsonRoute(
    'GET /api/audit',
    'administer',
    async ({ query }) => {
      const limit = numberOf(single(query, 'limit'), 'limit', MAX_LIMIT) ?? DEFAULT_LIMIT;
      const before = numberOf(single(query, 'before'), 'before', Number.MAX_SAFE_INTEGER);
      const values = FILTERS.flatMap((name) => {
        const value = single(query, name);
        return value === undefined ? [] : [[name, value] as const];
      });
      return { entries: await audit.page(limit, before, Object.fromEntries(values)) };
    },
    { query: ['limit', 'before', ...FILTERS] },
  );
}

function numberOf(text: string | undefined, name: string, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= most) return value;
  throw invalid(`${name} must be a whole number from 1 to ${most}`);
}
