import { readFile } from 'node:fs/promises';
import { onBehalfOf } from '../../access/on-behalf-of.ts';
import type { Principal } from '../../access/principal.ts';
import type { Role } from '../../access/roles.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import { GrpcTransport } from '../../client/grpc-transport.ts';
import type { ClientTls } from '../../client/node-fetch.ts';
import { DEFAULT_TIMING, type Timing } from '../../client/timing.ts';
import type { Transport } from '../../client/transport.ts';
import type { ServiceConfig } from '../../config/schema.ts';
import type { AskedAs } from './asked-as.ts';
import type { CellAddress } from './cell-addresses.ts';
import type { CellAccess } from './exchange.ts';

/** A cell that is gone is noticed, and one that is back is found, within some seconds. */
export const CELL_TIMING: Timing = {
  ...DEFAULT_TIMING,
  connectTimeoutMs: 3_000,
  heartbeatMs: 5_000,
  answerTimeoutMs: 10_000,
  initialBackoffMs: 100,
  maxBackoffMs: 2_000,
};

const ROLES: Readonly<Record<AskedAs['level'], Role>> = {
  structure: 'reader',
  texts: 'analyst',
  operate: 'operator',
};

/**
 * A way to a cell for all who see the same: what they share is asked for once. Who asked for what is on the record of the
 * gateway.
 */
export function connectCell(
  { address }: CellAddress,
  { project, level }: AskedAs,
  { token, tls }: CellAccess,
): Transport {
  const caller: Principal = {
    by: 'gateway',
    id: `readers-${level}`,
    name: 'readers of the gateway',
    roles: [ROLES[level]],
    project,
  };
  return new GrpcTransport({
    target: address,
    token,
    tls,
    headers: onBehalfOf(caller),
    timing: CELL_TIMING,
    keepsNodes: true,
  });
}

/** The files that `gateway.tls` names. @throws BoundaryError FAILED_PRECONDITION naming the one that cannot be read */
export async function readCellTls({
  tls,
}: Pick<NonNullable<ServiceConfig['gateway']>, 'tls'>): Promise<ClientTls | undefined> {
  if (!tls) return undefined;
  const pems = (['ca', 'cert', 'key'] as const).map(async (name) => {
    const path = tls[`${name}File`];
    return path === undefined ? {} : { [name]: await readPem(name, path) };
  });
  return Object.assign({}, ...(await Promise.all(pems))) as ClientTls;
}

async function readPem(name: keyof ClientTls, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined;
    const message = `gateway.tls.${name}File: the file cannot be read (${code ?? 'no reason given'})`;
    throw new BoundaryError('FAILED_PRECONDITION', message, { cause });
  }
}
