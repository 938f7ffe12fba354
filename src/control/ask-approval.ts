import { ControlWay, type ControlPlace, type Frame } from './control-stream.ts';

/** What an agent asks people. At least one of `agent`, `taskId` and `traceId` is given. */
export interface ApprovalQuestion extends ControlPlace {
  readonly question: string;
  /** One of these is chosen by who approves. */
  readonly options?: readonly string[] | undefined;
  /** The step that asks, by one of these. */
  readonly spanId?: string | undefined;
  readonly nodeId?: string | undefined;
  readonly requestId?: string | undefined;
  /** 3,600 if absent. */
  readonly expiresInSeconds?: number | undefined;
  /** Asked again with it, also by another process, it is the same approval. */
  readonly id?: string | undefined;
  /** Gives it up: the promise rejects. Who asked stands on the graph all the same. */
  readonly signal?: AbortSignal | undefined;
}

export interface Approval {
  readonly state: 'approved' | 'denied' | 'expired';
  /** What who answered had to say. */
  readonly text?: string;
  readonly option?: string;
  readonly by?: string;
  /** The node that shows it: name it in `depends_on` of a span that comes of it. */
  readonly nodeId: string;
}

interface State extends Omit<Approval, 'state'> {
  readonly id: string;
  readonly state: Approval['state'] | 'pending';
}

/** Over some minutes: a service that is started anew is waited for. */
const ASK_TRIES = 30;
const CONFIRM_TRIES = 3;

/**
 * Asks people, and waits until one of them answers, or nobody does in time; over lost connections and restarts of the service.
 * @throws Error when the service refuses to be asked, or is not there for minutes, or `signal` is aborted
 */
export async function askApproval(asked: ApprovalQuestion): Promise<Approval> {
  const { url: _, token: __, onError, signal, ...rest } = asked;
  const question = { id: crypto.randomUUID(), ...rest };
  const closing = new AbortController();
  const giveUp = (): void => closing.abort();
  if (signal?.aborted === true) giveUp();
  signal?.addEventListener('abort', giveUp);
  const way = new ControlWay(asked, closing.signal, true);
  const ask = async (): Promise<State> => {
    const state = await way.post('/api/control/approvals', question, ASK_TRIES);
    if (state !== undefined) return state as State;
    throw closing.signal.aborted
      ? (signal?.reason ?? new Error('given up'))
      : new Error('nobody can be asked');
  };
  try {
    const { id, ...first } = await ask();
    if (isAnswered(first)) return first;
    return await new Promise<Approval>((resolve, reject) => {
      closing.signal.addEventListener('abort', () => reject(signal?.reason as Error));
      const look = async (): Promise<void> => {
        const { id: _id, ...now } = await ask();
        if (isAnswered(now)) resolve(now);
      };
      const take = (frame: Frame): void => {
        // It may have been answered while nobody waited.
        if (frame.type === 'waiting') look().catch((error: unknown) => onError?.(error));
        const told = frame as Frame & ToldApproval;
        if (frame.type !== 'approval' || told.approvalId !== id) return;
        const { type: _type, id: delivery, approvalId: _approval, approvalNodeId: nodeId, ...answer } = told;
        const confirmed = way.post('/api/control', { id: delivery, received: true }, CONFIRM_TRIES);
        void confirmed.catch((error: unknown) => onError?.(error)).then(() => resolve({ ...answer, nodeId }));
      };
      void way.wait(take);
    });
  } finally {
    signal?.removeEventListener('abort', giveUp);
    closing.abort();
  }
}

interface ToldApproval extends Omit<Approval, 'nodeId'> {
  readonly approvalId: string;
  readonly approvalNodeId: string;
}

function isAnswered(state: Omit<State, 'id'>): state is Approval {
  return state.state !== 'pending';
}
