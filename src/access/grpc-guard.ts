import { Metadata, ResponderBuilder, ServerInterceptingCall, ServerListenerBuilder } from '@grpc/grpc-js';
import type { ServerInterceptor, StatusObject } from '@grpc/grpc-js';
import { assert } from '../base/assert.ts';
import { certificateOfCall } from '../transport/tls/call-certificates.ts';
import type { Limits } from './limits.ts';
import { demand, STRANGER, type Access, type Credentials, type Principal } from './principal.ts';
import type { Need } from './roles.ts';

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

/** Refuses a call by its headers, before its body is read; also of services that others wrote, such as reflection. */
export function grpcGuard({ access, needs, before, after, statusOf }: GrpcGuardOptions): ServerInterceptor {
  return (method, call) => {
    const listener = new ServerListenerBuilder().withOnReceiveMetadata((metadata, next) => {
      try {
        before?.();
        const caller = admitted(access, needs(method.path), metadata);
        after?.(caller);
        callers.set(metadata, caller);
      } catch (error) {
        call.sendStatus({ metadata: new Metadata(), ...statusOf(error) });
        return;
      }
      next(metadata);
    });
    const responder = new ResponderBuilder().withStart((next) => next(listener.build()));
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

function admitted(access: Access, need: Need, metadata: Metadata): Principal {
  if (need === 'nothing') return STRANGER;
  const caller = access.identify(grpcCredentials(metadata));
  demand(caller, need);
  return caller;
}

function grpcCredentials(metadata: Metadata): Credentials {
  return {
    authorization: metadata.get('authorization')[0]?.toString(),
    apiKey: metadata.get('x-api-key')[0]?.toString(),
    certificate: certificateOfCall(metadata),
  };
}
