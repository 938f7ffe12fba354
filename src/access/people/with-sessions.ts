import { onAbort } from '../../base/shared-abort.ts';
import { tokenOf } from '../credentials.ts';
import type { Access } from '../principal.ts';
import { sessionCookie } from './cookies.ts';
import type { Sessions } from './sessions.ts';

/**
 * Who sends no token may have a session. A cookie that is none any more is as none.
 * @param isBehindTls whether something in front of the service speaks TLS with people
 */
export function withSessions(tokens: Access, sessions: () => Sessions, isBehindTls: boolean): Access {
  return {
    ...tokens,
    identify(credentials) {
      const isSecure = isBehindTls || credentials.isEncrypted === true;
      const cookie =
        tokenOf(credentials) === undefined ? sessionCookie(credentials.cookie, isSecure) : undefined;
      return (cookie === undefined ? undefined : sessions().find(cookie)) ?? tokens.identify(credentials);
    },
    watch(principal, onEnd) {
      const unwatch = tokens.watch(principal, onEnd);
      const stop = onAbort(principal.session?.ended, () =>
        onEnd('the log-in is over, or gives other rights'),
      );
      return () => {
        stop();
        unwatch();
      };
    },
  };
}
