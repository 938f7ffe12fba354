import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ClientError } from '../../src/client/browser.ts';
import type {
  CompareAnswer,
  Filters,
  NodeDetail,
  PatternsAnswer,
  SpikesAnswer,
  TaskOverview,
  TaskPage,
  TaskSummary,
  TaskQuery,
  WhyAnswer,
} from '../../src/client/browser.ts';
import { useAsking, useMay, useSession } from './session.ts';

/** How often what the list of runs shows is asked for while it is looked at. */
const RUNS_EVERY_MS = 1_500;
const PAGE = 200;
/** Who has read on further wants the list to stand still. */
const LIVE_PAGES = 2;

export type Run = TaskOverview;
export type RunsQuery = Omit<TaskQuery, 'cursor' | 'limit'>;

/** Runs as the service finds them, page after page. */
export function useRuns(asked: RunsQuery) {
  const { client, visit } = useAsking();
  return useInfiniteQuery({
    queryKey: ['runs', visit, asked],
    queryFn: async ({ pageParam }): Promise<TaskPage> =>
      noticed(client.findTasks({ ...asked, limit: PAGE, cursor: pageParam })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= LIVE_PAGES ? RUNS_EVERY_MS : false),
    placeholderData: keepPreviousData,
  });
}

/** The first places where a text stands in titles, names and full texts of steps; short words stand everywhere. */
export function useSearchTexts(text: string) {
  const { client, visit } = useAsking();
  return useQuery({
    queryKey: ['search', visit, text],
    queryFn: async () => noticed(client.search({ text, limit: HITS })),
    enabled: text.length >= 3 && text.length <= 200,
  });
}

const HITS = 20;

/** One run as the list of runs tells of it. */
export function useRun(taskId: string): Run | undefined {
  const { client, visit } = useAsking();
  // Who may not read texts may not search in them; what is looked at is mostly among the newest.
  const asked = useMay('read') ? { text: taskId.slice(0, MAX_TEXT) } : { limit: PAGE };
  const { data } = useQuery({
    queryKey: ['run', visit, taskId, asked],
    queryFn: async (): Promise<Run | null> => {
      const { tasks } = await noticed(client.findTasks(asked));
      return tasks.find((task) => task.taskId === taskId) ?? null;
    },
    refetchInterval: RUNS_EVERY_MS,
    placeholderData: keepPreviousData,
  });
  return data ?? undefined;
}

/** What the service takes as a text. */
const MAX_TEXT = 1_024;

/** @param version when it rises, the node has changed */
export function useNodeDetail(nodeId: string | undefined, version: unknown) {
  const { client, visit } = useAsking();
  return useQuery({
    queryKey: ['node', visit, nodeId, version],
    queryFn: async (): Promise<NodeDetail> => noticed(client.getNode(nodeId ?? '')),
    enabled: nodeId !== undefined,
    placeholderData: keepPreviousData,
  });
}

export function useWhy(nodeId: string | undefined) {
  const { client, visit } = useAsking();
  return useQuery({
    queryKey: ['why', visit, nodeId],
    queryFn: async (): Promise<WhyAnswer> => noticed(client.why(nodeId ?? '')),
    enabled: nodeId !== undefined,
  });
}

export function useSpikes(taskId: string, isAsked: boolean) {
  const { client, visit } = useAsking();
  return useQuery({
    queryKey: ['spikes', visit, taskId],
    queryFn: async (): Promise<SpikesAnswer> => noticed(client.spikes(taskId)),
    enabled: isAsked,
  });
}

/** @param version when it changes, so may what is said */
export function useSummary(taskId: string, version: unknown) {
  const { client, visit } = useAsking();
  return useQuery({
    queryKey: ['summary', visit, taskId, version],
    queryFn: async (): Promise<TaskSummary> => noticed(client.summary(taskId)),
    placeholderData: keepPreviousData,
  });
}

/** Of runs that may still go on; asked for again when somebody comes back to it. */
export function useCompare(a: string, b: string) {
  const { client, visit } = useAsking();
  return useQuery({
    queryKey: ['compare', visit, a, b],
    queryFn: async (): Promise<CompareAnswer> => noticed(client.compare(a, b)),
    enabled: a !== '' && b !== '',
    retry: false,
  });
}

export function usePatterns(filters: Filters) {
  const { client, visit } = useAsking();
  return useQuery({
    queryKey: ['patterns', visit, filters],
    queryFn: async (): Promise<PatternsAnswer> => noticed(client.patterns(filters)),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** A refusal for want of a token leads to the login, wherever it is met. */
async function noticed<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ClientError && error.code === 'UNAUTHENTICATED') useSession.getState().refuse();
    throw error;
  }
}
