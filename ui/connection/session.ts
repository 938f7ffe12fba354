import { create } from 'zustand';
import { connect } from '../../src/client/browser.ts';
import type { Client } from '../../src/client/browser.ts';
import { ROOT } from '../state/root.ts';

const TOKEN_KEY = 'token';

interface Session {
  readonly client: Client;
  readonly token: string | undefined;
  /** The service asks for a token, or refused the one it was given. */
  readonly isRefused: boolean;
  readonly signIn: (token: string) => void;
  readonly refuse: () => void;
}

/** The one way to the service. Another token means another client, and so other subscriptions. */
export const useSession = create<Session>()((set, get) => {
  const token = firstToken();
  return {
    token,
    client: connectWith(token),
    isRefused: false,
    signIn(given) {
      sessionStorage.setItem(TOKEN_KEY, given);
      void get().client.close();
      set({ token: given, client: connectWith(given), isRefused: false });
    },
    refuse: () => set({ isRefused: true }),
  };
});

export function useClient(): Client {
  return useSession((session) => session.client);
}

function connectWith(token: string | undefined): Client {
  return connect({ url: ROOT.href, ...(token !== undefined && { token }) });
}

/** From a link's fragment, which never reaches a server's log, or as given before in this tab. */
function firstToken(): string | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const given = fragment.get('access_token');
  if (given !== null && given !== '') {
    sessionStorage.setItem(TOKEN_KEY, given);
    fragment.delete('access_token');
    history.replaceState(null, '', location.pathname + location.search);
    return given;
  }
  return sessionStorage.getItem(TOKEN_KEY) ?? undefined;
}
