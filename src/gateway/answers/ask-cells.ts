import { BoundaryError, type BoundaryCode } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import { ClientError } from '../../client/client-error.ts';
import { clip } from '../../model/one-line.ts';
import type { AskedCell, CellAnswers, CellFailure, OfCell } from './asked-cell.ts';
import { refusesGateway } from '../cells/refuses-gateway.ts';
import { failureWords } from '../notices.ts';

/** Nobody waits longer for a cell: as long as a client waits for an answer. */
export const CELL_TIMEOUT_MS = 10_000;
/** A machine that is gone refuses nothing: nobody waits for each answer what is known already. One that is back has answered by then. */
export const AWAY_TIMEOUT_MS = 2_000;
/** Of what a cell says of its failure so much is told. */
const MAX_MESSAGE_CHARS = 300;

/** What is wrong with the question, not with the cell: who asked is told so. */
const REFUSALS: ReadonlySet<string> = new Set<BoundaryCode>([
  'INVALID_ARGUMENT',
  'PERMISSION_DENIED',
  'FAILED_PRECONDITION',
  'TOO_LARGE',
]);

/**
 * Whose question it is: that of somebody who may be told that it is wrong, or one that the gateway made itself, of which a
 * refusal is a failure of the cell.
 */
export type Whose = 'readers' | 'own';

/** What came of a question, in the order of the cells. */
export interface Outcomes<T> {
  readonly answers: readonly OfCell<T>[];
  /** What the first cell said that does not know what was asked about; absent where all do that answered. */
  readonly notFound?: BoundaryError;
  readonly failures: readonly CellFailure[];
}

/**
 * Asks cells side by side, each for `CELL_TIMEOUT_MS` at most, those that are away for `AWAY_TIMEOUT_MS`.
 * @throws BoundaryError what a cell refuses of what readers asked
 */
export async function outcomes<T>(
  cells: readonly AskedCell[],
  ask: (answers: CellAnswers, cell: string) => Promise<T>,
  clock: Clock,
  whose: Whose = 'readers',
): Promise<Outcomes<T>> {
  const answers: OfCell<T>[] = [];
  const failures: CellFailure[] = [];
  let notFound: BoundaryError | undefined;
  const settled = await Promise.allSettled(
    cells.map(async ({ name, answers: of, isAway = false }) =>
      inTime(ask(of, name), clock, isAway ? AWAY_TIMEOUT_MS : CELL_TIMEOUT_MS),
    ),
  );
  for (const [i, one] of settled.entries()) {
    const cell = cells[i]?.name ?? '';
    if (one.status === 'fulfilled') {
      answers.push({ cell, answer: one.value });
      continue;
    }
    const error = errorOf(one.reason);
    if (whose === 'readers' && REFUSALS.has(error.code)) throw error;
    if (error.code === 'NOT_FOUND') notFound ??= error;
    else failures.push({ cell, message: error.message });
  }
  return { answers, ...(notFound && { notFound }), failures };
}

/**
 * As `outcomes`, where at least one cell has to answer.
 * @throws BoundaryError what a cell refuses; NOT_FOUND when no cell knows it; UNAVAILABLE when none answers, or one that
 *   does not may know it
 */
export async function askCells<T>(
  cells: readonly AskedCell[],
  ask: (answers: CellAnswers, cell: string) => Promise<T>,
  clock: Clock,
  whose?: Whose,
): Promise<Outcomes<T>> {
  assertSome(cells);
  const found = await outcomes(cells, ask, clock, whose);
  if (found.answers.length > 0) return found;
  throw noAnswer(found);
}

/** @throws BoundaryError UNAVAILABLE where there is no cell */
export function assertSome(cells: readonly AskedCell[]): void {
  if (cells.length === 0)
    throw new BoundaryError('UNAVAILABLE', 'the gateway knows no cell: see its setting gateway.cells');
}

/** What to say where nothing was answered. */
export function noAnswer({
  notFound,
  failures,
}: Pick<Outcomes<unknown>, 'notFound' | 'failures'>): BoundaryError {
  if (!notFound) return new BoundaryError('UNAVAILABLE', `no cell answers: ${failureWords(failures)}`);
  if (failures.length === 0) return notFound;
  return mayBeAway(notFound.message, failures);
}

/** No cell that answers knows it, and one that does not answer may. */
export function mayBeAway(message: string, failures: readonly CellFailure[]): BoundaryError {
  return new BoundaryError(
    'UNAVAILABLE',
    `${message}; but it may be in a cell that does not answer: ${failureWords(failures)}`,
  );
}

async function inTime<T>(answer: Promise<T>, clock: Clock, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = clock.after(ms, () =>
    reject(new BoundaryError('DEADLINE_EXCEEDED', `no answer within ${ms / 1000} s`)),
  );
  try {
    return await Promise.race([answer, late]);
  } finally {
    timer.cancel();
  }
}

/** What a client of a cell says besides is a failure of the way there. */
function errorOf(reason: unknown): BoundaryError {
  if (reason instanceof BoundaryError) return reason;
  if (!(reason instanceof ClientError)) return BoundaryError.from(reason);
  const refusal = refusesGateway(reason);
  if (refusal !== undefined)
    return new BoundaryError('UNAVAILABLE', clip(refusal, MAX_MESSAGE_CHARS), { cause: reason });
  const { code, message } = reason;
  const isKnown = REFUSALS.has(code) || code === 'NOT_FOUND';
  return new BoundaryError(
    isKnown ? (code as BoundaryCode) : 'UNAVAILABLE',
    clip(message, MAX_MESSAGE_CHARS),
    {
      cause: reason,
    },
  );
}
