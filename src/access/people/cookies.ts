/** RFC 6265bis: with this prefix no other host, and no plain page, sets or changes a cookie. */
const SECURE_PREFIX = '__Host-';
const SESSION = 'explain';
const PENDING = 'explain-login';
/** Longer than the ten minutes that a log-in may take, so that it is refused for what it is. */
const PENDING_SECONDS = 900;

/**
 * The value of the session's cookie.
 * @param isSecure whether people reach the service over TLS: what others of this host may have set counts for nothing then
 */
export function sessionCookie(header: string | undefined, isSecure: boolean): string | undefined {
  return cookieOf(header, SESSION, isSecure);
}

/** What the browser keeps of a log-in that is under way. @param isSecure as above */
export function pendingCookie(header: string | undefined, isSecure: boolean): string | undefined {
  return cookieOf(header, PENDING, isSecure);
}

/** Sent along by our own pages only; gone when the browser is closed. */
export function setSession(value: string, isSecure: boolean): string {
  return made(SESSION, value, isSecure, 'SameSite=Strict');
}

/** Also sent along when the provider leads back, which is another site. */
export function setPending(value: string, isSecure: boolean): string {
  return made(PENDING, value, isSecure, `SameSite=Lax; Max-Age=${PENDING_SECONDS}`);
}

export function clearSession(isSecure: boolean): string {
  return made(SESSION, '', isSecure, 'SameSite=Strict; Max-Age=0');
}

export function clearPending(isSecure: boolean): string {
  return made(PENDING, '', isSecure, 'SameSite=Lax; Max-Age=0');
}

function made(name: string, value: string, isSecure: boolean, more: string): string {
  const full = isSecure ? `${SECURE_PREFIX}${name}` : name;
  return `${full}=${value}; Path=/; HttpOnly; ${more}${isSecure ? '; Secure' : ''}`;
}

function cookieOf(header: string | undefined, name: string, isSecure: boolean): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  for (const full of [`${SECURE_PREFIX}${name}=`, ...(isSecure ? [] : [`${name}=`])]) {
    const value = pairs.find((pair) => pair.startsWith(full))?.slice(full.length);
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}
