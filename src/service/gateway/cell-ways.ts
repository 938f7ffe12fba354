import type { Clock } from '../../base/clock.ts';
import { ApprovalsAtCells } from '../../gateway/acts/approvals-at-cells.ts';
import { CellActs } from '../../gateway/acts/cell-acts.ts';
import { ControlAtCells } from '../../gateway/acts/control-at-cells.ts';
import type { CellAddresses } from '../../gateway/cells/cell-addresses.ts';
import type { CellSet } from '../../gateway/cells/cell-set.ts';
import type { CellAccess } from '../../gateway/cells/exchange.ts';
import { HttpCellSender } from '../../gateway/routing/cell-sender.ts';
import type { ControlApi, ControlAnswered } from '../../servers/control-api.ts';
import { ControlPlaces } from '../interrupts/control-places.ts';
import { waitingIn } from '../interrupts/control-target.ts';
import type { SendingOn } from './sending-on.ts';

export interface CellWaysOptions extends CellAccess {
  readonly addresses: Pick<CellAddresses, 'current' | 'onChange'>;
  readonly cells: CellSet;
  readonly clock: Clock;
  readonly sendingOn: Pick<SendingOn, 'cellOf'>;
}

/** What people do is little beside what senders send. */
const MOST_UNDER_WAY = 32;
/** A node with all its texts, as who looks behind its markers is given it. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** What a gateway does at its cells for its callers: acts, approvals, control streams. Shared by all projects. */
export class CellWays {
  readonly acts: CellActs;
  readonly approvals: ApprovalsAtCells;
  readonly control: ControlApi;
  private readonly sender: HttpCellSender;
  private readonly waiting: ControlAtCells;

  constructor({ addresses, cells, token, tls, clock, sendingOn }: CellWaysOptions) {
    this.sender = new HttpCellSender({
      addresses,
      tls,
      clock,
      mostUnderWay: MOST_UNDER_WAY,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      // What is done twice is not always the same as once.
      keepsConnections: false,
    });
    this.acts = new CellActs({
      sender: this.sender,
      cells: (project) => cells.asked({ project, level: 'structure' }),
      token,
      clock,
    });
    this.approvals = new ApprovalsAtCells(this.acts, (traceId, name) => sendingOn.cellOf(traceId, name));
    this.waiting = new ControlAtCells({ acts: this.acts, addresses, tls, token, clock });
    this.control = controlApi(this.waiting);
  }

  /** Whoever waits is told why it ends, and nobody waits any more. */
  refuse(reason: string): void {
    this.waiting.close(reason);
  }

  stop(): void {
    this.sender.close();
  }
}

function controlApi(waiting: ControlAtCells): ControlApi {
  const places = new ControlPlaces();
  return {
    wait(principal, given, stream, lastId) {
      const checked = waitingIn(given);
      let end = (): void => {};
      const release = places.take(principal.id, () => {
        end();
        stream.send({ type: 'closed', reason: 'others have less: this one makes room' });
        stream.end();
      });
      try {
        end = waiting.wait(
          principal,
          checked,
          // What cells tell, by the names of their own frames.
          {
            send: (frame) => stream.send(frame as Parameters<typeof stream.send>[0]),
            end: () => stream.end(),
          },
          lastId,
        );
      } catch (error) {
        release();
        throw error;
      }
      return () => {
        end();
        release();
      };
    },
    answer: async (principal, given) => (await waiting.answer(principal, given)) as ControlAnswered,
  };
}
