import { create } from 'zustand';
import { connect } from '../../src/client/browser.ts';
import type { Client } from '../../src/client/browser.ts';
import { ROOT } from '../state/root.ts';

/** Who asks, as the service knows it. */
interface Me {
  readonly by: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly rights: readonly Right[];
  readonly project: string;
  /** Goes with what changes something. */
  readonly csrf?: string;
}

type Right = 'send' | 'see' | 'read' | 'annotate' | 'operate' | 'interrupt' | 'administer';

interface Session {
  readonly client: Client;
  /** Rises with every client: what another one was answered is kept apart. A client itself is no part of a key, as it changes. */
  readonly visit: number;
  /** Undefined until the service said it. */
  readonly me: Me | undefined;
  /** The service asks who is there; or a token of the page's address is being given. */
  readonly state: 'in' | 'out' | 'entering';
  /** Asks who is there, and begins anew for them. */
  readonly enter: () => Promise<void>;
  readonly refuse: () => void;
}

/** The one way to the service. Who is somebody else has another client, and so other subscriptions. */
export const useSession = create<Session>()((set, get) => ({
  me: undefined,
  client: connectAs(() => get().me?.csrf),
  visit: 0,
  state: 'in',
  async enter() {
    await get().client.close();
    set(({ visit }) => ({
      client: connectAs(() => get().me?.csrf),
      visit: visit + 1,
      state: 'in',
      me: undefined,
    }));
    await learnWho();
  },
  refuse: () => set({ state: 'out' }),
}));

export function useClient(): Client {
  return useSession((session) => session.client);
}

/** Whom to ask, and by what the answers are kept. */
export function useAsking(): Pick<Session, 'client' | 'visit'> {
  const visit = useSession((session) => session.visit);
  return { client: useClient(), visit };
}

/** May who is there do this? Until it is known they may: the service decides in any case. */
export function useMay(right: Right): boolean {
  return useSession(({ me }) => me === undefined || me.rights.includes(right));
}

/** A link may bring a token, in its fragment, which never reaches a server's log. It is given once, and kept nowhere. */
export async function beginSession(): Promise<void> {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get('access_token');
  if (token === null || token === '') return learnWho();
  history.replaceState(null, '', location.pathname + location.search);
  useSession.setState({ state: 'entering' });
  const refused = await logIn('token', { token });
  if (refused !== undefined) useSession.getState().refuse();
}

/** @returns why not; undefined when who is there is in */
export async function logIn(way: 'ldap' | 'token', typed: object): Promise<string | undefined> {
  try {
    const answer = await fetch(new URL(`login/${way}`, ROOT), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(typed),
    });
    if (!answer.ok) return await reasonOf(answer);
  } catch {
    return 'the service does not answer';
  }
  await useSession.getState().enter();
  return undefined;
}

/** What was shown goes with the page. */
export async function logOut(): Promise<void> {
  const { me } = useSession.getState();
  const answer = await fetch(new URL('logout', ROOT), {
    method: 'POST',
    headers: { 'x-explain-csrf': me?.csrf ?? '' },
  });
  const { next } = (answer.ok ? await answer.json() : {}) as { readonly next?: string };
  location.replace(next ?? new URL('login', ROOT).href);
}

/** Without an answer the page shows what it can, and the connection says what is wrong. */
async function learnWho(): Promise<void> {
  const answer = await fetch(new URL('api/me', ROOT)).catch(() => undefined);
  if (answer?.status === 401) useSession.getState().refuse();
  else if (answer?.ok === true) useSession.setState({ me: (await answer.json()) as Me });
}

async function reasonOf(answer: Response): Promise<string> {
  const { error } = (await answer.json().catch(() => ({}))) as {
    readonly error?: { readonly message?: string };
  };
  return error?.message ?? `the service answers ${answer.status}`;
}

function connectAs(csrf: () => string | undefined): Client {
  return connect({ url: ROOT.href, csrf });
}
