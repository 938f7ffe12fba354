import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { BASE } from './root.ts';

/** Where a task is shown. */
export function taskPath(taskId: string, params?: Readonly<Record<string, string>>): string {
  const query = params === undefined ? '' : `?${new URLSearchParams(params).toString()}`;
  return `/t/${encodeURIComponent(taskId)}${query}`;
}

/** Where two tasks are shown side by side. */
export function comparePath(a: string, b: string): string {
  return `/compare?${new URLSearchParams({ a, b }).toString()}`;
}

/** The task of the page's own path. */
export function taskOfPath(): string {
  const segment = location.pathname.slice(BASE.length).split('/')[2] ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    // A link that was written by hand may hold a percent sign that begins no code.
    return segment;
  }
}

export interface UrlState {
  readonly params: URLSearchParams;
  /** Null takes a parameter away. Views and filters are steps of the history, a selection is not. */
  readonly set: (changes: Readonly<Record<string, string | null>>, how: 'push' | 'replace') => void;
  readonly replaceAll: (params: URLSearchParams) => void;
}

/** All state that a link should carry is in the URL. */
export function useUrl(): UrlState {
  // The router's own reading is decoded once already, and a percent sign could not be told from the beginning of a code.
  const search = useSearch() === '' ? '' : location.search;
  const [, navigate] = useLocation();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  const go = useCallback(
    (next: URLSearchParams, replace: boolean) => {
      const query = next.toString();
      const path = location.pathname.slice(BASE.length);
      navigate(query === '' ? path : `${path}?${query}`, { replace });
    },
    [navigate],
  );
  const set = useCallback<UrlState['set']>(
    (changes, how) => {
      // What stands there now, not what did when this was drawn: two changes may come before the next drawing.
      const next = new URLSearchParams(location.search);
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) next.delete(name);
        else next.set(name, value);
      }
      go(next, how === 'replace');
    },
    [go],
  );
  const replaceAll = useCallback((next: URLSearchParams) => go(next, false), [go]);
  return { params, set, replaceAll };
}
