import {
  Metadata,
  ResponderBuilder,
  ServerInterceptingCall,
  ServerListenerBuilder,
  status as Status,
} from '@grpc/grpc-js';
import type { ServerInterceptor, StatusObject } from '@grpc/grpc-js';
import { assert } from '../base/assert.ts';
import { connectionOfCall } from '../transport/call-connections.ts';
import { certificateOf } from '../transport/tls/client-certificate.ts';
import { BoundaryError, GRPC_STATUS, type BoundaryCode } from '../base/boundary-error.ts';
import type { Limits } from './limits.ts';
import { ON_BEHALF_OF } from './on-behalf-of.ts';
import { demand, STRANGER, type Access, type Credentials, type Principal } from './principal.ts';
import { isOfWhoChanges, type Need } from './roles.ts';

export interface GrpcGuardOptions {
  readonly access: Access;
  /** What a method needs. @param path `/service/method` */
  readonly needs: (path: string) => Need;
  /** Told who was let in. @throws BoundaryError */
  readonly after?: (caller: Principal) => void;
  /** Asked before who calls. @throws BoundaryError */
  readonly before?: () => void;
  readonly statusOf: (error: unknown) => Pick<StatusObject, 'code' | 'details'> & Partial<StatusObject>;
}

const callers = new WeakMap<Metadata, Principal>();

/**
 * Refuses a call by its headers, before its body is read; also of services that others wrote, such as reflection. A call
 * that lasts longer than its caller may be there ends.
 */
export function grpcGuard({ access, needs, before, after, statusOf }: GrpcGuardOptions): ServerInterceptor {
  return (method, call) => {
    let unwatch = (): void => undefined;
    const refuse = (error: unknown): void =>
      call.sendStatus({ metadata: new Metadata(), ...statusOf(error) });
    let failed: (status: number) => void = () => undefined;
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        try {
          before?.();
          const { remoteAddress } = call.getConnectionInfo();
          const address = { address: remoteAddress };
          const caller = admitted(access, needs(method.path), { ...grpcCredentials(metadata), ...address });
          after?.(caller);
          callers.set(metadata, caller);
          failed = (code) => tellFailed(access, needs(method.path), caller, code);
          unwatch = access.watch(caller, (reason) => refuse(new BoundaryError('UNAUTHENTICATED', reason)));
        } catch (error) {
          refuse(error);
          return;
        }
        next(metadata);
      })
      .withOnCancel(() => unwatch());
    const responder = new ResponderBuilder()
      .withStart((next) => next(listener.build()))
      .withSendStatus((status, next) => {
        unwatch();
        if (status.code !== Status.OK) failed(status.code);
        next(status);
      });
    return new ServerInterceptingCall(call, responder.build());
  };
}

/** Who sends, by the metadata of a call; undefined when the guard refused it. */
export function grpcSenders(
  limits: Limits,
): (metadata: Metadata) => ReturnType<Limits['sender']> | undefined {
  return (metadata) => {
    const caller = callers.get(metadata);
    return caller && limits.sender(caller);
  };
}

/** Who makes a call that went through the guard. @param metadata the call's */
export function callerOf(metadata: Metadata): Principal {
  const caller = callers.get(metadata);
  assert(caller !== undefined, 'every call goes through the guard');
  return caller;
}

/** What a call is sent on with over HTTP, so that it is known by it where it goes to. */
export function credentialMetadata(metadata: Metadata): Readonly<Record<string, string>> {
  const { authorization, apiKey } = grpcCredentials(metadata);
  return {
    ...(authorization !== undefined && { authorization }),
    ...(apiKey !== undefined && { 'x-api-key': apiKey }),
  };
}

function admitted(access: Access, need: Need, credentials: Credentials): Principal {
  if (need === 'nothing') return STRANGER;
  let principal: Principal | undefined;
  try {
    principal = access.identify(credentials);
    demand(principal, need);
    return principal;
  } catch (thrown) {
    const error = BoundaryError.from(thrown);
    // Not the path: whoever calls writes it.
    access.refused({ way: `gRPC that needs ${need}`, error, credentials, principal });
    throw error;
  }
}

/** Of what changes something it is of interest who tries. */
function tellFailed(access: Access, need: Need, principal: Principal, status: number): void {
  if (!isOfWhoChanges(need)) return;
  const code = BOUNDARY_CODES.find((one) => GRPC_STATUS[one] === status) ?? 'INTERNAL';
  const error = new BoundaryError(code, 'the call failed');
  access.refused({ way: `gRPC that needs ${need}`, error, credentials: {}, principal, wasLetIn: true });
}

const BOUNDARY_CODES = Object.keys(GRPC_STATUS) as BoundaryCode[];

function grpcCredentials(metadata: Metadata): Credentials {
  const connection = connectionOfCall(metadata);
  const onBehalfOf = metadata.get(ON_BEHALF_OF);
  return {
    connection,
    authorization: metadata.get('authorization')[0]?.toString(),
    apiKey: metadata.get('x-api-key')[0]?.toString(),
    // As in HTTP: one that comes several times has commas, which are wrong in it.
    onBehalfOf: onBehalfOf.length === 0 ? undefined : onBehalfOf.join(','),
    certificate: certificateOf(connection),
  };
}
