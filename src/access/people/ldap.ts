import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import type * as Ldap from 'ldapts';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import { Slots } from '../../base/slots.ts';
import { filterWith, sameDn } from './ldap-texts.ts';
import { granted, LoginRefused, plainName, type LoggedIn, type Person } from './person.ts';
import type { LdapSettings } from './settings.ts';

/** For the connection, and again for each answer. */
const ANSWER_MS = 5_000;
/** What a log-in needs is some KB. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** To the directory at once, and log-ins that wait for one. */
const MAX_CONNECTIONS = 8;
const MAX_WAITING = 200;
/** Directories know names of 256 characters at most, passwords of less. */
const MAX_NAME = 256;
const MAX_PASSWORD_BYTES = 4096;
const MAX_DN = 1_000;
/** Groups of one person. */
const MAX_GROUPS = 1_000;
/** RFC 4511, appendix A: the directory answered, and the answer is no. */
const INVALID_CREDENTIALS = 49;
const NO_SUCH_OBJECT = 32;
const BUSY = 'too many log-ins wait for the directory; try again in a moment';

/** Log-in by name and password, which a directory checks. */
export class LdapLogin {
  private readonly settings: LdapSettings;
  private readonly library: typeof Ldap;
  private readonly slots: Slots;
  private readonly answerMs: number;
  private readonly ca: Buffer | undefined;

  private constructor(
    settings: LdapSettings,
    clock: Clock,
    answerMs: number,
    ca: Buffer | undefined,
    library: typeof Ldap,
  ) {
    this.settings = settings;
    this.answerMs = answerMs;
    this.ca = ca;
    this.library = library;
    this.slots = new Slots({ most: MAX_CONNECTIONS, mostWaiting: MAX_WAITING }, BUSY, clock);
  }

  /**
   * Loads what speaks the protocol; the directory is not asked yet.
   * @throws BoundaryError FAILED_PRECONDITION when the file of certificates cannot be read
   */
  static async load(settings: LdapSettings, clock: Clock, answerMs = ANSWER_MS): Promise<LdapLogin> {
    const ca = settings.caFile === undefined ? undefined : await readCa(settings.caFile);
    return new LdapLogin(settings, clock, answerMs, ca, await import('ldapts'));
  }

  /** @throws LoginRefused */
  async logIn(name: string, password: string): Promise<LoggedIn> {
    // A bind without a password succeeds in many directories, as nobody (RFC 4513, 5.1.2).
    if (password === '' || Buffer.byteLength(password) > MAX_PASSWORD_BYTES)
      throw new LoginRefused('credentials');
    if (name.trim() === '' || name.length > MAX_NAME) throw new LoginRefused('credentials');
    const person = await this.withDirectory(async (directory) => {
      const entry = await this.lookUp(directory, name);
      await this.checkPassword(entry?.dn, password);
      if (!entry) throw new LoginRefused('credentials');
      return this.personOf(directory, name, entry);
    });
    if (!person) throw new LoginRefused('role');
    return { person, renew: () => this.renew(name, person.id) };
  }

  /** Who was removed from the directory, or from the last group that gives anything, is known no more. */
  private async renew(name: string, id: string): Promise<Person | undefined> {
    return this.withDirectory(async (directory) => {
      const entry = await this.lookUp(directory, name);
      const person = entry && (await this.personOf(directory, name, entry));
      return person?.id === id ? person : undefined;
    });
  }

  /** @returns undefined when there is nobody of this name, or more than one */
  private async lookUp(directory: Ldap.Client, name: string): Promise<Ldap.Entry | undefined> {
    const { searchBase, userFilter, nameAttribute } = this.settings;
    const { searchEntries } = await directory.search(searchBase, {
      filter: filterWith(userFilter, { name }),
      attributes: [nameAttribute, 'memberOf'],
      sizeLimit: 2,
      timeLimit: Math.ceil(this.answerMs / 1000),
      derefAliases: 'never',
    });
    const [entry, another] = searchEntries;
    return entry && !another && entry.dn !== '' && entry.dn.length <= MAX_DN ? entry : undefined;
  }

  /** On a connection of its own: who has bound as a person has the person's rights. */
  private async checkPassword(dn: string | undefined, password: string): Promise<void> {
    // Somebody who is not there is tried as well, so that it takes as long.
    const tried = dn ?? `cn=${randomBytes(12).toString('hex')},${this.settings.searchBase}`;
    const client = await this.connect();
    try {
      await client.bind(tried, password);
    } catch (error) {
      const isNo = codeOf(error) === INVALID_CREDENTIALS || codeOf(error) === NO_SUCH_OBJECT;
      throw isNo ? new LoginRefused('credentials') : error;
    } finally {
      await close(client);
    }
  }

  private async personOf(
    directory: Ldap.Client,
    name: string,
    entry: Ldap.Entry,
  ): Promise<Person | undefined> {
    const groups = await this.groupsOf(directory, name, entry);
    const rights = granted(this.settings.roles, (wanted) =>
      groups.some(({ dn, cn }) =>
        wanted.includes('=') ? sameDn(dn, wanted) : cn.includes(wanted.toLowerCase()),
      ),
    );
    const [shown] = textsOf(entry[this.settings.nameAttribute]);
    return rights && { id: `ldap:${entry.dn.toLowerCase()}`, name: plainName(shown, name), ...rights };
  }

  /** By their DN; those below the base for groups by their name as well, since nobody else makes groups there. */
  private async groupsOf(
    directory: Ldap.Client,
    name: string,
    entry: Ldap.Entry,
  ): Promise<readonly { readonly dn: string; readonly cn: readonly string[] }[]> {
    const { groupBase, groupFilter } = this.settings;
    if (groupBase === undefined)
      return textsOf(entry['memberOf'])
        .slice(0, MAX_GROUPS)
        .map((dn) => ({ dn, cn: [] }));
    const { searchEntries } = await directory.search(groupBase, {
      filter: filterWith(groupFilter, { dn: entry.dn, name }),
      attributes: ['cn'],
      sizeLimit: MAX_GROUPS,
      timeLimit: Math.ceil(this.answerMs / 1000),
      derefAliases: 'never',
    });
    return searchEntries.map((group) => ({
      dn: group.dn,
      cn: textsOf(group['cn']).map((cn) => cn.toLowerCase()),
    }));
  }

  /** @throws LoginRefused unreachable where the directory does not answer, or not as it should */
  private async withDirectory<T>(ask: (directory: Ldap.Client) => Promise<T>): Promise<T> {
    const ticket = {};
    await this.slots.take(ticket);
    let client: Ldap.Client | undefined;
    try {
      client = await this.connect();
      const { bindDn, password = '' } = this.settings;
      if (bindDn !== undefined) await client.bind(bindDn, password);
      return await ask(client);
    } catch (error) {
      if (error instanceof LoginRefused) throw error;
      throw new LoginRefused('unreachable', error);
    } finally {
      this.slots.free(ticket);
      if (client) await close(client);
    }
  }

  private async connect(): Promise<Ldap.Client> {
    const { url, startTls } = this.settings;
    const { ca } = this;
    const { hostname } = new URL(url);
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const tls: ConnectionOptions = { host, minVersion: 'TLSv1.2', ...(ca && { ca }) };
    const client = new this.library.Client({
      url,
      timeout: this.answerMs,
      connectTimeout: this.answerMs,
      ...(url.startsWith('ldaps:') && { tlsOptions: tls }),
      createConnection: ((port: number, to: string) =>
        bounded(connectPlain(port, to))) as typeof connectPlain,
      createSecureConnection: ((...args: Parameters<typeof connectTls>) =>
        bounded(connectTls(...args))) as typeof connectTls,
    });
    if (startTls) await secured(client, tls);
    return client;
  }
}

async function readCa(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new BoundaryError('FAILED_PRECONDITION', 'the file of `people.ldap.caFile` cannot be read', {
      cause,
    });
  }
}

/** Before anything else is said. */
async function secured(client: Ldap.Client, tls: ConnectionOptions): Promise<void> {
  try {
    await client.startTLS(tls);
  } catch (error) {
    await close(client);
    throw error;
  }
}

/** A directory that says more than any answer has is not listened to. */
function bounded<S extends Socket>(socket: S): S {
  let bytes = 0;
  socket.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) socket.destroy();
  });
  return socket;
}

async function close(client: Ldap.Client): Promise<void> {
  await client.unbind().catch(() => undefined);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function textsOf(value: Ldap.Entry[string] | undefined): readonly string[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
}
