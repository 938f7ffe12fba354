import { type DestinationStream, pino } from 'pino';
import type { Logger } from './logger.ts';
import { safeError } from './safe-error.ts';

export interface PinoLoggerOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Where lines go: standard error when absent, because standard output is for the listeners' lines. */
  readonly stream?: DestinationStream;
  /** Which of several processes that write to one place. */
  readonly cell?: string;
}

/** A log line is for reading: what is deeper or longer than this is cut. */
const MAX_DEPTH = 4;
const MAX_TEXT = 1000;
const MAX_ITEMS = 50;

const STDERR = 2;

/** JSON lines by pino. Errors anywhere in the fields are reduced to what may be told of them. */
export function createPinoLogger({ level, stream, cell }: PinoLoggerOptions): Logger {
  const log = pino(
    {
      level,
      base: { name: 'explainability-agent', pid: process.pid, ...(cell !== undefined && { cell }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream ?? pino.destination({ dest: STDERR, sync: true }),
  );
  return {
    debug: (fields, message) => log.isLevelEnabled('debug') && log.debug(safeFields(fields), message),
    info: (fields, message) => log.isLevelEnabled('info') && log.info(safeFields(fields), message),
    warn: (fields, message) => log.isLevelEnabled('warn') && log.warn(safeFields(fields), message),
    error: (fields, message) => log.isLevelEnabled('error') && log.error(safeFields(fields), message),
  };
}

function safeFields(fields: object): object {
  return fields instanceof Error ? { err: safeError(fields) } : (safeValue(fields, 0) as object);
}

/** A bounded copy, so that no `toJSON`, getter or cycle of a stranger's object is met by the serialiser. */
function safeValue(value: unknown, depth: number): unknown {
  if (value instanceof Error) return safeError(value);
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => safeValue(item, depth + 1));
  const entries = Object.entries(value).slice(0, MAX_ITEMS);
  return Object.fromEntries(entries.map(([key, inner]) => [key, safeValue(inner, depth + 1)]));
}
