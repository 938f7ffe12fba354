import type { Run, RunsQuery } from '../../connection/queries.ts';

export const SORTS = ['newest', 'oldest', 'cost', 'latency', 'tokens', 'errors'] as const;
export const STATES = ['all', 'running', 'failed'] as const;
export const GROUPS = ['none', 'session', 'user'] as const;

/** Parameters of the URL that only pick whose runs are shown. */
export const PICKS = ['agent', 'sessionId', 'userId'] as const;

/** What the URL asks the service for. */
export function runsQuery(params: URLSearchParams): RunsQuery {
  const given = (name: string): string | undefined => params.get(name) || undefined;
  const status = ({ running: 'RUNNING', failed: 'ERROR' } as const)[params.get('status') ?? ''];
  return {
    text: given('text'),
    agent: given('agent'),
    sessionId: given('sessionId'),
    userId: given('userId'),
    status,
    sort: SORTS.find((sort) => sort === params.get('sort')),
  };
}

/** A heading between runs: a session or a user, and what leads to its runs alone. */
export interface RunGroup {
  readonly kind: 'session' | 'user';
  readonly name: string | undefined;
  readonly runs: number;
}

/** The runs with headings between them, where the URL wants them grouped. */
export function grouped(runs: readonly Run[], params: URLSearchParams): readonly (Run | RunGroup)[] {
  const kind = params.get('group');
  if (kind !== 'session' && kind !== 'user') return runs;
  const groups = Map.groupBy(runs, ({ sessionId, userId }) => (kind === 'session' ? sessionId : userId));
  return [...groups].flatMap(([name, members]) => [{ kind, name, runs: members.length }, ...members]);
}

export function isRun(row: Run | RunGroup): row is Run {
  return 'taskId' in row;
}
