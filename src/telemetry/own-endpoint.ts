import { lookup as dnsLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Where this service listens. */
export interface OwnListeners {
  readonly host: string;
  /** The real ports, after listening. */
  readonly ports: readonly number[];
}

/** Addresses of a host name; a test may answer for DNS. */
export type Lookup = (host: string) => Promise<readonly string[]>;

/** A name that DNS does not answer for in this time is not one of ours. */
const LOOKUP_TIMEOUT_MS = 2000;
/** What gRPC and HTTP use where an address names no port. */
const DEFAULT_PORTS: readonly number[] = [443, 80];

/**
 * Whether an OTLP endpoint is one of our own listeners: exporting there would make telemetry about telemetry
 * without end.
 * @throws TypeError when the endpoint is no URL
 */
export async function isOwnEndpoint(
  endpoint: string,
  own: OwnListeners,
  lookup: Lookup = systemLookup,
): Promise<boolean> {
  const url = new URL(/^\w{1,8}:\/\//.test(endpoint) ? endpoint : `https://${endpoint}`);
  if (url.protocol === 'unix:') return false;
  const ports = url.port === '' ? DEFAULT_PORTS : [Number(url.port)];
  if (!ports.some((port) => own.ports.includes(port))) return false;
  const [theirs, ours] = await Promise.all([addresses(url.hostname, lookup), ownAddresses(own.host, lookup)]);
  return theirs.some((address) => ours(address));
}

/** The addresses under which a listener on this host can be reached, as a predicate. */
async function ownAddresses(host: string, lookup: Lookup): Promise<(address: string) => boolean> {
  const bound = await addresses(host, lookup);
  const everywhere = bound.some(isUnspecified);
  const interfaces = everywhere
    ? Object.values(networkInterfaces()).flatMap((list) => list?.map((entry) => entry.address) ?? [])
    : [];
  const local = everywhere || bound.some(isLoopbackAddress);
  // A client that connects to 0.0.0.0 or :: reaches its own machine.
  return (address) =>
    bound.includes(address) ||
    interfaces.includes(address) ||
    (local && (isLoopbackAddress(address) || isUnspecified(address)));
}

async function addresses(host: string, lookup: Lookup): Promise<readonly string[]> {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) !== 0) return [plain(bare)];
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<readonly string[]>((resolve) => {
    timer = setTimeout(() => resolve([]), LOOKUP_TIMEOUT_MS);
  });
  try {
    return (await Promise.race([lookup(bare), timeout])).map(plain);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

async function systemLookup(host: string): Promise<readonly string[]> {
  return (await dnsLookup(host, { all: true })).map(({ address }) => address);
}

/** An IPv4 address in IPv6 clothes (::ffff:127.0.0.1, which URL writes ::ffff:7f00:1) as IPv4. */
function plain(address: string): string {
  const dotted = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (dotted !== undefined) return dotted;
  const hex = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address);
  if (!hex) return address.toLowerCase();
  const [high, low] = [Number.parseInt(hex[1] ?? '', 16), Number.parseInt(hex[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}

function isUnspecified(address: string): boolean {
  return address === '::' || address === '0.0.0.0';
}
