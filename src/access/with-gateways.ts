import { BoundaryError } from '../base/boundary-error.ts';
import { DEFAULT_PROJECT } from '../model/project-name.ts';
import { isLoopback } from '../transport/host-origin-check.ts';
import { networkOf } from './network-of.ts';
import { ON_BEHALF_OF, readOnBehalfOf, type NamedCaller } from './on-behalf-of.ts';
import type { Access, Credentials, Principal } from './principal.ts';
import { allows, rightsOf } from './roles.ts';

/**
 * Who has the role `gateway` speaks for its callers, and says in each request for whom: then it is the caller who asks.
 * Where nobody is asked who they are, everybody may name somebody who may no more than they themselves.
 */
export function withGateways(access: Access): Access {
  return {
    ...access,
    identify(credentials) {
      const { onBehalfOf } = credentials;
      const speaker = access.identify(credentials);
      return onBehalfOf === undefined ? speaker : callerOf(speaker, onBehalfOf, credentials);
    },
    // What its callers have open ends with the key of the gateway.
    watch: (principal, onEnd) => access.watch(principal.via ?? principal, onEnd),
  };
}

/** It is known who wanted to speak for others, and may not. */
class MayNotSpeak extends BoundaryError {
  readonly speaker: Principal;

  constructor(speaker: Principal, error: BoundaryError) {
    super(error.code, error.message);
    this.speaker = speaker;
  }
}

/** Who wanted to speak for others and was refused with this error, if that was it. */
export function speakerOf(error: BoundaryError): Principal | undefined {
  return error instanceof MayNotSpeak ? error.speaker : undefined;
}

function callerOf(speaker: Principal, header: string, credentials: Credentials): Principal {
  try {
    checkSpeaker(speaker, credentials);
    const caller = readOnBehalfOf(header);
    checkCaller(speaker, caller);
    return named(speaker, caller);
  } catch (error) {
    const { address } = credentials;
    const from = address === undefined ? {} : { from: networkOf(address) };
    throw new MayNotSpeak({ ...speaker, ...from }, BoundaryError.from(error));
  }
}

/** Its id begins with that of the gateway, so that nobody is taken for one who comes here without it. */
function named(speaker: Principal, { id, by = 'gateway', capabilities, ...caller }: NamedCaller): Principal {
  return {
    ...caller,
    by,
    id: `${speaker.id}/${id}`,
    ...(capabilities && { capabilities }),
    via: speaker,
  };
}

/** @throws BoundaryError PERMISSION_DENIED, also where the header would only narrow what somebody may */
function checkSpeaker(speaker: Principal, { address, certificate }: Credentials): void {
  const isGateway = speaker.roles.includes('gateway') && speaker.session === undefined;
  if (!isGateway && speaker.by !== 'nobody')
    throw denied(`${ON_BEHALF_OF} is for gateways: leave it out, or come with a key of the role gateway`);
  if (certificate === undefined && !(address !== undefined && isLoopback(bare(address))))
    throw denied(
      `${ON_BEHALF_OF} is taken over loopback, or with a client certificate that was verified: set tls with clientCertificates here, and a certificate at the gateway`,
    );
}

/** @throws BoundaryError PERMISSION_DENIED */
function checkCaller(speaker: Principal, { roles, project }: NamedCaller): void {
  const isOfAll = speaker.by !== 'nobody' && speaker.project === DEFAULT_PROJECT;
  if (!isOfAll && project !== speaker.project)
    throw denied(
      speaker.by === 'nobody'
        ? `${ON_BEHALF_OF} names another project than default: without auth there is no other`
        : `${ON_BEHALF_OF} names another project than that of the gateway: only a gateway of default speaks for all projects`,
    );
  const isMore = roles.flatMap(rightsOf).some((right) => !allows(speaker.roles, right));
  if (speaker.by === 'nobody' && isMore)
    throw denied(`${ON_BEHALF_OF} names a role with more rights than everybody has here without auth`);
}

/** @param address of IPv4 as IPv6 writes it, or as it is */
function bare(address: string): string {
  return address === '::1' ? address : networkOf(address);
}

function denied(message: string): BoundaryError {
  return new BoundaryError('PERMISSION_DENIED', message);
}
