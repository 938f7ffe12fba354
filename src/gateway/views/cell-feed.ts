import type { Clock, Timer } from '../../base/clock.ts';
import { Session } from '../../client/session.ts';
import type { Timing } from '../../client/timing.ts';
import { firstLine } from '../../model/one-line.ts';
import type { ArtifactsEvent } from '../../model/reader-messages.ts';
import type { ViewRequest } from '../../model/subscription-request.ts';
import type { AskedAs } from '../cells/asked-as.ts';
import type { ReadCell } from '../cells/read-cell.ts';
import { refusesGateway } from '../cells/refuses-gateway.ts';
import type { CellPart } from './cell-part.ts';

export interface CellFeedOptions {
  readonly cell: ReadCell;
  readonly part: CellPart;
  readonly as: AskedAs;
  readonly request: ViewRequest;
  readonly clock: Clock;
  readonly timing: Timing;
  /** Nodes and edges that it may hold beside those that are shown. */
  readonly maxItems: number;
  /** Something of it is different: what is in the part, whether it is settled, or its notice. */
  readonly onChange: () => void;
  readonly onEvent: (event: ArtifactsEvent) => void;
}

/** A cell that refuses the subscription, or sends what is no graph, is asked again after so long. */
const AGAIN_MS = 5000;
/** Of what a cell says of its failure so much is told. */
const MAX_REASON_CHARS = 300;

/** Keeps what one cell shows in one view, whatever happens to the cell. While it is away the part stays as it was. */
export class CellFeed {
  private readonly options: CellFeedOptions;
  private session: Session | undefined;
  private again: Timer | undefined;
  private isDown = false;
  private isClosed = false;
  private refusal: string | undefined;
  private reason = 'no reason given';

  constructor(options: CellFeedOptions) {
    this.options = options;
  }

  start(): void {
    const { cell, as, request, timing, part, maxItems, onChange, onEvent } = this.options;
    const taken = (problem: string | undefined, isComplete: boolean): void => {
      if (problem !== undefined) return this.breaksRules(problem);
      part.isComplete = isComplete;
      onChange();
    };
    this.session = new Session({
      // Each attempt goes where the cell is then.
      transport: { openFeed: (asked, listener) => cell.as(as).openFeed(asked, listener) },
      view: request,
      timing,
      giveUpAfterMs: undefined,
      maxUnshownItems: maxItems,
      listener: {
        snapshot: (graph, isComplete) => taken(part.replace(graph), isComplete),
        update: (update, isComplete) => taken(part.update(update), isComplete),
        event: onEvent,
        state: ({ state }) => {
          if (state === 'live') this.holds();
          if (state === 'waiting') this.lost();
        },
        error: (error) => (this.reason = firstLine(refusesGateway(error) ?? error.message, MAX_REASON_CHARS)),
        ended: (error) => {
          if (error) this.refused(refusesGateway(error) ?? error.message);
        },
      },
    });
  }

  /** Is there nothing to wait for: is all of it there, or the cell away? */
  get isSettled(): boolean {
    return this.options.part.isComplete || this.isDown || this.refusal !== undefined;
  }

  /** What readers are told beside what all are told of the cell. */
  get notice(): string | undefined {
    return this.refusal === undefined
      ? undefined
      : `the cell ${this.options.cell.name} does not show this: ${this.refusal}`;
  }

  close(): void {
    this.isClosed = true;
    this.again?.cancel();
    this.session?.close();
    this.options.cell.left(this);
  }

  private holds(): void {
    this.isDown = false;
    this.refusal = undefined;
    this.options.cell.holds(this);
    this.options.onChange();
  }

  private lost(): void {
    this.isDown = true;
    this.options.cell.lost(this, this.reason);
    this.options.onChange();
  }

  /** What it sends cannot be gone on with; what it has shown before is kept. */
  private breaksRules(problem: string): void {
    this.session?.close();
    this.refused(`it sends ${problem}`);
  }

  /** The cell is there, and does not give this. */
  private refused(why: string): void {
    if (this.isClosed) return;
    this.refusal = firstLine(why, MAX_REASON_CHARS);
    this.again?.cancel();
    this.again = this.options.clock.after(AGAIN_MS, () => this.start());
    this.options.onChange();
  }
}
