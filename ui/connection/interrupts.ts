import { useMutation, useQuery } from '@tanstack/react-query';
import type { InterruptReason, InterruptState } from '../../src/model/interrupt.ts';
import { ROOT } from '../state/root.ts';
import { useSession } from './session.ts';

/** How often it is looked at what was answered. */
const LOOK_MS = 500;

interface Wanted {
  readonly reason: InterruptReason;
  /** Empty for none. */
  readonly message: string;
}

/** Asks the agent of a step to stop, and follows what it answers until nothing more can come. */
export function useInterrupt(nodeId: string) {
  const asking = useMutation({
    mutationFn: ({ reason, message }: Wanted) =>
      ask(`api/nodes/${encodeURIComponent(nodeId)}/interrupt`, {
        reason,
        ...(message.trim() !== '' && { message }),
      }),
  });
  const asked = asking.data;
  const { data } = useQuery({
    queryKey: ['interrupt', asked?.id],
    queryFn: () => ask(`api/interrupts/${asked?.id}`),
    enabled: asked !== undefined,
    refetchInterval: ({ state }) => (state.data?.isOver === true ? false : LOOK_MS),
  });
  return { ask: asking.mutate, isAsking: asking.isPending, error: asking.error, state: data ?? asked };
}

async function ask(path: string, body?: object): Promise<InterruptState> {
  const { me, refuse } = useSession.getState();
  const answer = await fetch(new URL(path, ROOT), {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json', 'x-explain-csrf': me?.csrf ?? '' },
  });
  if (answer.ok) return (await answer.json()) as InterruptState;
  if (answer.status === 401) refuse();
  const { error } = (await answer.json().catch(() => ({}))) as {
    readonly error?: { readonly message?: string };
  };
  throw new Error(error?.message ?? `the service answers ${answer.status}`);
}
