import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { textIfThere } from '../../base/file-system.ts';
import { makeCertificate, type CertificatePair, type CertificateRequest } from '../../base/x509.ts';
import { parseArguments } from '../arguments.ts';
import { failure, wrongUsage } from '../cli-error.ts';
import type { Command, OptionGroup } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { print } from '../output.ts';
import { quoted } from '../program.ts';

const DAY_MS = 86_400_000;
/** A clock that is behind takes them as well. */
const BEFORE_MS = DAY_MS;
/** Browsers and Apple's systems take no certificate of a server that holds longer. */
const MAX_DAYS = 397;
/** The authority outlives what it signs. */
const AUTHORITY_DAYS = 3 * 365;
const ALWAYS = ['localhost', '127.0.0.1', '::1'];
const DEFAULT_CLIENT = 'client';
const MAX_NAMES = 100;

const DNS_NAME = /^(?=.{1,253}$)(?:\*\.)?[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*$/;
/** Also the name of a file. */
const CLIENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const OPTIONS: readonly OptionGroup[] = [
  {
    title: 'Options',
    options: [
      {
        name: 'name',
        value: 'NAME',
        many: true,
        help: `a further name or address of the server, beside ${ALWAYS.join(', ')}`,
      },
      {
        name: 'client',
        value: 'NAME',
        many: true,
        help: `a client by its name, as "tls.clients" knows it; its files are NAME.crt and NAME.key (default: ${DEFAULT_CLIENT})`,
      },
      { name: 'days', value: 'N', help: `days that they hold, at most ${MAX_DAYS} (default: ${MAX_DAYS})` },
    ],
  },
];

export const certs: Command = {
  name: 'certs',
  summary: 'make certificates for trying TLS: an authority, a server, clients',
  usage: '[FOLDER] [options]',
  about: [
    'Writes ca.crt, ca.key, server.crt, server.key and a pair for each client into FOLDER (default: certs). Keys are for their owner alone (mode 600). What is there already stays: called again, it makes what is missing, signed by the same authority.',
    'For machines of your own: who has ca.key can make certificates that all who trust ca.crt take for real.',
  ],
  options: OPTIONS,
  examples: [
    { line: 'explainability-agent certs', what: 'a server on this machine, and a client' },
    {
      line: 'explainability-agent certs /etc/explain --name explain.internal --client collector-1',
      what: 'a server that others reach by that name, and a client',
    },
  ],
  run: async (args) => {
    const parsed = parseArguments(OPTIONS, args, 1);
    const given = parsed.list('client');
    const names = parsed.list('name');
    const clients = given.length === 0 ? [DEFAULT_CLIENT] : given;
    if (names.length > MAX_NAMES || clients.length > MAX_NAMES)
      throw wrongUsage(`at most ${MAX_NAMES} names and clients at once`);
    for (const name of names)
      if (isIP(name) === 0 && !DNS_NAME.test(name))
        throw wrongUsage('--name must be a name such as explain.internal, or an IP address');
    for (const client of clients)
      if (!CLIENT_NAME.test(client) || ['ca', 'server'].includes(client))
        throw wrongUsage(
          '--client must be 1 to 64 letters, digits, ".", "_" and "-", and neither ca nor server',
        );
    const folder = new CertificateFolder(
      resolve(parsed.positionals[0] ?? 'certs'),
      daysOf(parsed.text('days')),
    );
    await folder.make(names, clients);
    await print(`${howToGoOn(folder.path, clients[0] ?? DEFAULT_CLIENT)}\n`);
    return EXIT.ok;
  },
};

class CertificateFolder {
  readonly path: string;
  private readonly days: number;

  constructor(path: string, days: number) {
    this.path = path;
    this.days = days;
  }

  async make(names: readonly string[], clients: readonly string[]): Promise<void> {
    try {
      await mkdir(this.path, { recursive: true, mode: 0o700 });
      const signedBy = await this.pair('ca', {
        use: 'authority',
        commonName: `ExplainabilityAgent authority for trying ${new Date().toISOString().slice(0, 10)}`,
        days: AUTHORITY_DAYS,
      });
      const all = [...new Set([...ALWAYS, ...names])];
      await this.pair('server', { use: 'server', commonName: names[0] ?? 'localhost', names: all, signedBy });
      for (const client of clients) await this.pair(client, { use: 'client', commonName: client, signedBy });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) throw error;
      throw failure(`${this.path} cannot be written (${error.code}): name a folder that you may write to`);
    }
  }

  /** The pair that is there, else a new one. */
  private async pair(
    name: string,
    wanted: Omit<CertificateRequest, 'validFrom' | 'validTo'> & { readonly days?: number },
  ): Promise<CertificatePair> {
    const [certFile, keyFile] = [join(this.path, `${name}.crt`), join(this.path, `${name}.key`)];
    const [cert, key] = await Promise.all([textIfThere(certFile), textIfThere(keyFile)]);
    if ((cert === undefined) !== (key === undefined))
      throw failure(`of ${certFile} and ${keyFile} one is missing: remove the other, or put it back`);
    if (cert !== undefined && key !== undefined) {
      await print(`there is ${certFile} already; it stays\n`);
      return { cert, key };
    }
    const now = Date.now();
    const pair = makeCertificate({
      ...wanted,
      validFrom: new Date(now - BEFORE_MS),
      validTo: new Date(now + (wanted.days ?? this.days) * DAY_MS),
    });
    await writeFile(keyFile, pair.key, { mode: 0o600, flag: 'wx' });
    await chmod(keyFile, 0o600);
    await writeFile(certFile, pair.cert, { flag: 'wx' });
    await print(`wrote ${certFile}, ${keyFile}\n`);
    return pair;
  }
}

function daysOf(text: string | undefined): number {
  if (text === undefined) return MAX_DAYS;
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > MAX_DAYS) throw wrongUsage(`--days must be a whole number from 1 to ${MAX_DAYS}`);
  return days;
}

function howToGoOn(folder: string, client: string): string {
  const at = (name: string): string => join(folder, name);
  const tls = JSON.stringify({ certFile: at('server.crt'), keyFile: at('server.key') });
  return [
    '',
    'A service with them:',
    `  explainability-agent serve --tls ${quoted(tls)}`,
    'Who talks to it:',
    `  explainability-agent watch --url https://localhost:9000 --ca ${quoted(at('ca.crt'))}`,
    'Where it asks for certificates of clients, also:',
    `  --cert ${quoted(at(`${client}.crt`))} --key ${quoted(at(`${client}.key`))}`,
  ].join('\n');
}
