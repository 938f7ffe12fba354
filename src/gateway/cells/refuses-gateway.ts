import { ON_BEHALF_OF } from '../../access/on-behalf-of.ts';
import type { ClientError } from '../../client/client-error.ts';

/**
 * What to say of a cell that takes the gateway for nobody who may ask for others, behind its name. Whoever asked cannot help
 * it, so they are not told what the cell advises its own callers.
 * @returns undefined where the cell said something else
 */
export function refusesGateway({ code, message }: Pick<ClientError, 'code' | 'message'>): string | undefined {
  const isStranger = code === 'UNAUTHENTICATED' || message.startsWith(`${ON_BEHALF_OF} is for gateways`);
  if (isStranger)
    return 'it refuses the gateway: gateway.token must be a key of the cell with the role gateway';
  const isAboutGateway = code === 'PERMISSION_DENIED' && message.startsWith(ON_BEHALF_OF);
  return isAboutGateway ? `it refuses the gateway: ${message}` : undefined;
}
