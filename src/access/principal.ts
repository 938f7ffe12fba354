import { BoundaryError } from '../base/boundary-error.ts';
import { DEFAULT_PROJECT } from '../model/project-name.ts';
import type { ClientCertificate } from '../transport/tls/client-certificate.ts';
import type { Capability } from './capability.ts';
import type { KeyLimits } from './key-limits.ts';
import { allows, type Right, type Role } from './roles.ts';

/** Who asks, as every way in sees it. */
export interface Principal {
  /**
   * How it was known: nobody was asked (`auth` is not set), a token of the settings, a key, a log-in, a client
   * certificate; or it is the program that the service runs in, or a guard of the settings. Of a caller of a gateway: how that
   * knew it, `gateway` where it does not say.
   */
  readonly by: 'nobody' | 'token' | 'key' | 'person' | 'certificate' | 'gateway' | 'program' | 'guard';
  /**
   * For the audit log and limits: stable, and never a secret. Of a key its id, of a person the subject, of a caller of a
   * gateway `GATEWAY/CALLER`.
   */
  readonly id: string;
  /** For people to read. */
  readonly name: string;
  readonly roles: readonly Role[];
  readonly project: string;
  /** Of its key; those of the settings where it names none. */
  readonly limits?: KeyLimits;
  /** Of its key; they narrow what its roles allow. Absent: they allow all of it. */
  readonly capabilities?: readonly Capability[];
  /** The gateway that asks for it. */
  readonly via?: Principal;
  /** The network that it comes from, or its gateway; absent within the program. */
  readonly from?: string;
  /** Of who came with the cookie of a log-in. */
  readonly session?: SessionOfPrincipal;
  /** Of who came on a connection with a client certificate: aborted, with the reason, when that is good no more. */
  readonly admittedBy?: AbortSignal;
}

/** The log-in behind a principal. */
export interface SessionOfPrincipal {
  /** Must come as `x-explain-csrf` with whatever changes something. */
  readonly csrf: string;
  /** Aborted when the log-in is over, or gives other rights: connections that it opened end then. */
  readonly ended: AbortSignal;
}

/** Everybody, where nobody is asked who they are. */
export const NOBODY: Principal = {
  by: 'nobody',
  id: 'nobody',
  name: 'nobody was asked',
  roles: ['sender', 'operator'],
  project: DEFAULT_PROJECT,
};

/** Who has not said who they are, where that needs nothing. */
export const STRANGER: Principal = { ...NOBODY, id: 'stranger', name: 'a stranger', roles: [] };

/** Whoever has the service in a program of their own needs no token to be its administrator. */
export const PROGRAM: Principal = {
  by: 'program',
  id: 'program',
  name: 'the program itself',
  roles: ['sender', 'admin'],
  project: DEFAULT_PROJECT,
};

/** What came with a request or a connection, and where from; the first that is there counts, in this order. */
export interface Credentials {
  /** The header or metadata `x-explain-on-behalf-of`: whom a gateway asks for; beside the others, which say who the gateway is. */
  readonly onBehalfOf?: string | undefined;
  /** The socket that they came on. */
  readonly connection?: object | undefined;
  /** Of the peer, without its port. */
  readonly address?: string | undefined;
  /** The `Authorization` header, or gRPC's `authorization` metadata. */
  readonly authorization?: string | undefined;
  /** The header or metadata `x-api-key`. */
  readonly apiKey?: string | undefined;
  /** The header `Sec-WebSocket-Protocol`. */
  readonly subprotocols?: string | undefined;
  /** The header `Cookie`. */
  readonly cookie?: string | undefined;
  /** The connection speaks TLS. */
  readonly isEncrypted?: boolean;
  /** What the verified client certificate of the connection says. */
  readonly certificate?: ClientCertificate | undefined;
}

/** Knows everybody. */
export interface Access {
  /**
   * @throws BoundaryError UNAUTHENTICATED, saying what to send, and nothing of what is there; RESOURCE_EXHAUSTED when
   *   too many wrong tokens came from the address
   */
  identify(credentials: Credentials): Principal;
  /**
   * What is open for somebody and may last adds itself, and takes itself away when it ends.
   * @param onEnd told once, when they may be there no more, with the reason
   * @returns takes it away
   */
  watch(principal: Principal, onEnd: (reason: string) => void): () => void;
  /** Told by each way in of whom it refuses, for the record. */
  refused(refused: RefusedEntry): void;
}

/** Somebody was not let in, or was and may, and it failed. */
export interface RefusedEntry {
  /** Which way in; no word of what was sent. */
  readonly way: string;
  readonly error: BoundaryError;
  readonly credentials: Credentials;
  /** Absent when it is not known who. */
  readonly principal?: Principal | undefined;
  /** They may: what they asked for failed. Told of what changes something. */
  readonly wasLetIn?: boolean;
}

/** @throws BoundaryError PERMISSION_DENIED */
export function demand(principal: Principal, right: Right): void {
  if (allows(principal.roles, right)) {
    // It is of all projects together, and none is to learn of another.
    if (right !== 'monitor' || principal.project === DEFAULT_PROJECT) return;
    throw new BoundaryError(
      'PERMISSION_DENIED',
      'this needs the right "monitor" in the project `default`: it tells of all projects together',
    );
  }
  if (principal.by === 'nobody' && right === 'administer')
    throw new BoundaryError(
      'PERMISSION_DENIED',
      'this needs an administrator, and without `auth` there is none: set auth.adminToken, or make a key by `explainability-agent keys create --role admin`',
    );
  if (principal.roles.includes('gateway'))
    throw new BoundaryError(
      'PERMISSION_DENIED',
      `this needs the right "${right}", which a gateway has for its callers alone: name the caller in x-explain-on-behalf-of`,
    );
  throw new BoundaryError(
    'PERMISSION_DENIED',
    `this needs the right "${right}", which ${principal.roles.length === 0 ? 'nobody without a role' : `the role ${principal.roles.join(' + ')}`} does not have`,
  );
}

/** Is it one who can be told from others? Nobody, and a token of the settings, may be many. */
export function isOne({ by }: Principal): boolean {
  return by !== 'nobody' && by !== 'token' && by !== 'program';
}

/** Are both of one project, and see the same of it? What one has opened there, the other may end. */
export function seeTheSame(a: Principal, b: Principal): boolean {
  return a.project === b.project && allows(a.roles, 'read') === allows(b.roles, 'read');
}
