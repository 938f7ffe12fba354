import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { ManualClock } from '../../base/clock.ts';
import { AdmittedClients } from './admitted-clients.ts';

interface Shown {
  readonly fingerprint256: string;
  readonly valid_to: string;
  issuerCertificate?: Shown;
}

const HOUR_MS = 3_600_000;

/** @param chain names of its certificates, the last of which signed itself @param hours how long each holds */
function socketOf(clock: ManualClock, chain: readonly string[], hours: readonly number[] = []) {
  const shown: Shown[] = chain.map((fingerprint256, at) => ({
    fingerprint256,
    valid_to: new Date(clock.now() + (hours[at] ?? 1_000) * HOUR_MS).toUTCString(),
  }));
  for (const [at, one] of shown.entries())
    if (chain.length > 1) one.issuerCertificate = shown[Math.min(at + 1, shown.length - 1)]!;
  const isDestroyed = { is: false };
  const socket = Object.assign(new EventEmitter(), {
    getPeerCertificate: () => shown[0],
    destroy: () => (isDestroyed.is = true),
  });
  return { socket: socket as unknown as TLSSocket, isDestroyed };
}

function made() {
  const clock = new ManualClock();
  const clients = new AdmittedClients(clock);
  const admit = (
    { socket }: ReturnType<typeof socketOf>,
    before: readonly string[],
    now = before,
  ): AbortSignal => {
    const signal = clients.admit(socket, new Set(before), new Set(now));
    assert.ok(typeof signal === 'object');
    return signal;
  };
  return { clock, clients, admit };
}

test('[AC71] a connection ends when an authority that vouched for it is taken out, and no other', () => {
  const { clock, clients, admit } = made();
  const mine = socketOf(clock, ['client', 'middle', 'root']);
  const other = socketOf(clock, ['client 2', 'other root']);
  const [first, second] = [admit(mine, ['root', 'other root']), admit(other, ['root', 'other root'])];
  clients.look(new Set(['root', 'other root', 'new root']));
  assert.ok(!first.aborted && !second.aborted, 'more authorities end nobody');
  clients.look(new Set(['other root', 'new root']));
  assert.match(String(first.reason), /its authority is trusted no more/);
  assert.ok(!mine.isDestroyed.is, 'it is told first');
  clock.advance(HOUR_MS);
  assert.ok(mine.isDestroyed.is);
  assert.ok(!second.aborted && !other.isDestroyed.is);
});

test('[AC71] where it is not known who vouched, each authority that goes ends it', () => {
  const { clock, clients, admit } = made();
  const signal = admit(socketOf(clock, ['client']), ['root', 'other root']);
  clients.look(new Set(['root']));
  assert.ok(signal.aborted);
});

test('[AC71] a connection ends when its certificate, or one above it, expires', () => {
  for (const hours of [
    [2, 500, 1_000],
    [500, 2, 1_000],
  ]) {
    const { clock, clients, admit } = made();
    const one = socketOf(clock, ['client', 'middle', 'root'], hours);
    const signal = admit(one, ['root']);
    clock.advance(HOUR_MS);
    clients.look(new Set(['root']));
    assert.ok(!signal.aborted);
    clock.advance(HOUR_MS);
    clients.look(new Set(['root']));
    assert.match(String(signal.reason), /it has expired/);
  }
});

test('[AC71] what changed during the handshake, or since a session was begun that is taken up again, counts', () => {
  const { clock, clients } = made();
  const mine = ['client', 'root'];
  assert.equal(
    clients.admit(socketOf(clock, mine).socket, new Set(['root']), new Set(['other'])),
    'its authority is trusted no more',
  );
  assert.equal(
    clients.admit(socketOf(clock, mine, [0]).socket, new Set(['root']), new Set(['root'])),
    'it has expired',
  );
});
