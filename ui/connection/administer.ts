import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { ROOT } from '../state/root.ts';
import { useSession } from './session.ts';

const PAGE = 100;

/** What is told of a key; never the key. */
export interface KeyInfo {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly project: string;
  readonly createdAt: string;
  readonly expiresAt?: string;
  /** To the minute. */
  readonly lastUsedAt?: string;
  /** Patterns of messages of MEW; absent: all that its roles allow. */
  readonly capabilities?: readonly object[];
}

/** A key that was just made or rotated: the one time that it is told. */
export interface ShownKey extends KeyInfo {
  readonly key: string;
}

export interface NewKey {
  readonly name: string;
  readonly roles: readonly string[];
  readonly project: string;
  readonly expiresInDays?: number;
}

/** Something that is on record; what is not known of it is absent. */
export interface Entry {
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly action?: string;
  readonly outcome?: string;
  readonly who?: string;
  readonly name?: string;
  readonly role?: string;
  readonly from?: string;
  /** What it was about. */
  readonly node?: string;
  readonly why?: string;
  readonly values?: number;
  readonly notWrittenBefore?: number;
}

export interface EntryFilters {
  readonly action?: string;
  readonly outcome?: string;
  readonly who?: string;
}

/** May who is there deal with keys? Not until it is known: unlike others, this page is for few. */
export function useIsAdministrator(): boolean {
  return useSession(({ me }) => me?.rights.includes('administer') === true);
}

export function useKeyList() {
  return useQuery({
    queryKey: ['keys'],
    queryFn: async () => (await ask<{ readonly keys: readonly KeyInfo[] }>('GET', 'api/keys')).keys,
  });
}

export function useProjects() {
  return useQuery({
    queryKey: ['projects'],
    queryFn: async () =>
      (await ask<{ readonly projects: readonly string[] }>('GET', 'api/projects')).projects,
  });
}

/** What changes keys; the list and the record are read anew afterwards. */
export function useKeyChanges() {
  const queries = useQueryClient();
  const change = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await ask<T>(method, path, body);
    for (const one of ['keys', 'projects', 'record']) void queries.invalidateQueries({ queryKey: [one] });
    return answer;
  };
  return {
    create: (wanted: NewKey) => change<ShownKey>('POST', 'api/keys', wanted),
    rotate: (id: string, graceMinutes: number) =>
      change<ShownKey>('POST', `api/keys/${encodeURIComponent(id)}/rotate`, { graceMinutes }),
    revoke: (id: string) => change<object>('DELETE', `api/keys/${encodeURIComponent(id)}`),
  };
}

/** What is on record, the newest first, page after page. */
export function useRecord(filters: EntryFilters) {
  return useInfiniteQuery({
    queryKey: ['record', filters],
    queryFn: async ({ pageParam }) => {
      const query = new URLSearchParams({ ...filters, limit: String(PAGE) });
      if (pageParam !== undefined) query.set('before', String(pageParam));
      const { entries } = await ask<{ readonly entries: readonly Entry[] }>(
        'GET',
        `api/audit?${query.toString()}`,
      );
      return entries;
    },
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (entries) => (entries.length < PAGE ? undefined : entries.at(-1)?.seq),
    placeholderData: keepPreviousData,
  });
}

/** @throws Error with the service's own words */
async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const { me, refuse } = useSession.getState();
  const answer = await fetch(new URL(path, ROOT), {
    method,
    headers: {
      'x-explain-csrf': me?.csrf ?? '',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Error('the service does not answer');
  });
  if (answer.status === 401) refuse();
  const said = (await answer.json().catch(() => ({}))) as T & {
    readonly error?: { readonly message?: string };
  };
  if (!answer.ok) throw new Error(said.error?.message ?? `the service answers ${answer.status}`);
  return said;
}
