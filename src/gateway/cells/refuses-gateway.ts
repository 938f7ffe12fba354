import { ON_BEHALF_OF } from '../../access/on-behalf-of.ts';
import type { ClientError } from '../../client/client-error.ts';

/** What a gateway may lack at a cell that does not know it. */
export const WANTED_OF_GATEWAY =
  'gateway.token must be a key of the cell with the role gateway, or gateway.tls have a certificate that tls.clients of the cell gives that role';

/**
 * What to say of a cell that takes the gateway for nobody who may ask for others, behind its name. Whoever asked cannot help
 * it, so they are not told what the cell advises its own callers.
 * @returns undefined where the cell said something else
 */
export function refusesGateway({ code, message }: Pick<ClientError, 'code' | 'message'>): string | undefined {
  const isStranger = code === 'UNAUTHENTICATED' || message.startsWith(`${ON_BEHALF_OF} is for gateways`);
  if (isStranger) return `it refuses the gateway: ${WANTED_OF_GATEWAY}`;
  const isAboutGateway = code === 'PERMISSION_DENIED' && message.startsWith(ON_BEHALF_OF);
  return isAboutGateway ? `it refuses the gateway: ${message}` : undefined;
}
