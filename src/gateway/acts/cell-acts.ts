import { randomUUID } from 'node:crypto';
import { onBehalfOf } from '../../access/on-behalf-of.ts';
import type { Principal } from '../../access/principal.ts';
import { BOUNDARY_CODES, BoundaryError, type BoundaryCode } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import { clip } from '../../model/one-line.ts';
import { askCells, assertSome, noAnswer } from '../answers/ask-cells.ts';
import type { AskedCell, CellFailure, OfCell } from '../answers/asked-cell.ts';
import { assertKnown, whereabouts } from '../answers/whole-tasks.ts';
import { gatewayKey, type CellAnswer } from '../cells/exchange.ts';
import { WANTED_OF_GATEWAY } from '../cells/refuses-gateway.ts';
import type { CellSender } from '../routing/cell-sender.ts';

/** Something that is asked for at a cell on behalf of one caller, whom the cell puts on record. */
export interface Act {
  readonly method: 'GET' | 'POST';
  /** With its parts percent-encoded. */
  readonly path: string;
  readonly by: Principal;
  /** Absent with GET. */
  readonly body?: object;
}

export interface CellActsOptions {
  readonly sender: CellSender;
  /** The cells of the caller's project in the order of their names, to find out which of them has something. */
  readonly cells: (project: string) => readonly AskedCell[];
  /** The gateway's key at the cells. */
  readonly token?: string | undefined;
  readonly clock: Clock;
}

/** What came of an act at several cells, in the order of their names. */
export interface ActOutcomes {
  readonly done: readonly [OfCell<unknown>, ...OfCell<unknown>[]];
  readonly refused: readonly OfCell<BoundaryError>[];
}

/** Of what a cell says of a refusal so much is told. */
const MAX_MESSAGE_CHARS = 1_000;
const CODES: ReadonlySet<string> = new Set(BOUNDARY_CODES);

/** Does at cells what callers of the gateway ask for, and hands back what the cells answer. */
export class CellActs {
  private readonly options: CellActsOptions;

  constructor(options: CellActsOptions) {
    this.options = options;
  }

  /** The names of all cells, in order. @throws BoundaryError UNAVAILABLE where there is none */
  names(by: Principal): readonly string[] {
    return this.cells(by).map(({ name }) => name);
  }

  /** At the first cell that has the node. @throws BoundaryError NOT_FOUND, UNAVAILABLE, and what the cell answers */
  async atNode(nodeId: string, act: Act): Promise<unknown> {
    return this.at(await this.homeOfNode(nodeId, act.by), act);
  }

  /** At the first cell that has the task. @throws as `atNode` */
  async atTask(taskId: string, act: Act): Promise<unknown> {
    const [home] = await this.homesOfTask(taskId, act.by);
    return this.at(home as string, act);
  }

  /** @throws BoundaryError NOT_FOUND; UNAVAILABLE where a cell that does not answer may have it */
  async homeOfNode(nodeId: string, by: Principal): Promise<string> {
    const { answers } = await askCells(
      this.cells(by),
      (of) => of.getNode(nodeId, { limit: 1 }),
      this.options.clock,
    );
    return (answers[0] as OfCell<unknown>).cell;
  }

  /** At least one, in order. @throws as `homeOfNode` */
  async homesOfTask(taskId: string, by: Principal): Promise<readonly string[]> {
    const where = await whereabouts(this.cells(by), [taskId], this.options.clock);
    assertKnown(taskId, where);
    return (where.parts.get(taskId) ?? []).map(({ cell }) => cell);
  }

  /** Side by side, at all cells if none are named. @throws BoundaryError as `refusalOf`, where none did it */
  async atEach(act: Act, names: readonly string[] = this.names(act.by)): Promise<ActOutcomes> {
    const done: OfCell<unknown>[] = [];
    const refused: OfCell<BoundaryError>[] = [];
    const settled = await Promise.allSettled(names.map((name) => this.at(name, act)));
    for (const [i, one] of settled.entries()) {
      const cell = names[i] as string;
      if (one.status === 'fulfilled') done.push({ cell, answer: one.value });
      else refused.push({ cell, answer: BoundaryError.from(one.reason) });
    }
    const [first, ...others] = done;
    if (!first) throw refusalOf(refused);
    return { done: [first, ...others], refused };
  }

  /** At one cell after the other, until one does not refuse. @throws BoundaryError as `refusalOf` */
  async atFirst(act: Act): Promise<unknown> {
    const refused: OfCell<BoundaryError>[] = [];
    for (const cell of this.names(act.by))
      try {
        return await this.at(cell, act);
      } catch (error) {
        refused.push({ cell, answer: BoundaryError.from(error) });
      }
    throw refusalOf(refused);
  }

  /** @returns the JSON that the cell answers @throws BoundaryError what it refuses with, UNAVAILABLE, RESOURCE_EXHAUSTED */
  async at(cell: string, { method, path, by, body }: Act): Promise<unknown> {
    const { token, sender } = this.options;
    const answer = await sender.send({
      cell,
      method,
      path,
      headers: {
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
        ...gatewayKey(token),
        ...onBehalfOf(by),
      },
      body: body && Buffer.from(JSON.stringify(body)),
    });
    const said = jsonOf(answer.body);
    if (answer.status >= 200 && answer.status < 300 && said !== undefined) return said;
    throw refusal(cell, answer, said);
  }

  private cells({ project }: Principal): readonly AskedCell[] {
    const cells = this.options.cells(project);
    assertSome(cells);
    return cells;
  }
}

/** What was found, or undefined where no cell that answers has it. @throws what was thrown for another reason */
export async function ifFound<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    const { code } = BoundaryError.from(error);
    if (code === 'NOT_FOUND' || code === 'UNAVAILABLE') return undefined;
    throw error;
  }
}

/** With an id of its own, so that it is the same at all cells, and taken once if it is sent twice. */
export function withId(given: { readonly [field: string]: unknown }): { readonly [field: string]: unknown } {
  return given['id'] === undefined ? { ...given, id: randomUUID() } : given;
}

/**
 * What to say where all cells refused: what one says that knows what was asked about, else that none does, or that one
 * which does not answer may.
 */
function refusalOf(refused: readonly OfCell<BoundaryError>[]): BoundaryError {
  const isAway = ({ answer }: OfCell<BoundaryError>): boolean =>
    answer.code === 'UNAVAILABLE' || answer.code === 'DEADLINE_EXCEEDED' || answer.code === 'INTERNAL';
  const failures: CellFailure[] = refused
    .filter(isAway)
    .map(({ cell, answer }) => ({ cell, message: answer.message }));
  const said = refused.filter((one) => !isAway(one)).map(({ answer }) => answer);
  const meant = said.find(({ code }) => code !== 'NOT_FOUND');
  if (meant) return meant;
  return noAnswer({ ...(said[0] && { notFound: said[0] }), failures });
}

function refusal(cell: string, { status, retryAfter }: CellAnswer, said: unknown): BoundaryError {
  if (status === 401)
    return new BoundaryError(
      'FAILED_PRECONDITION',
      `the cell ${cell} does not know the gateway: ${WANTED_OF_GATEWAY}`,
    );
  const { code, message } = errorIn(said);
  if (code === undefined || message === undefined)
    return new BoundaryError('UNAVAILABLE', `the cell ${cell} answers what no cell says (${status})`);
  return new BoundaryError(code, clip(message, MAX_MESSAGE_CHARS), {
    ...(retryAfter !== undefined && { retryAfterMs: retryAfter * 1_000 }),
  });
}

function errorIn(said: unknown): { readonly code?: BoundaryCode; readonly message?: string } {
  const { error } = (said ?? {}) as { readonly error?: unknown };
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  return typeof code === 'string' && CODES.has(code) && typeof message === 'string'
    ? { code: code as BoundaryCode, message }
    : {};
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
