/** Words that end the names of keys of secrets. */

/** The keys on either side, on the keyboards that most have. */
const BESIDE_ON_KEYBOARD: Readonly<Record<string, string>> = {
  p: 'o',
  a: 's',
  s: 'ad',
  w: 'qe',
  o: 'ip',
  r: 'et',
  d: 'sf',
};

/** A word as people mistype it: a letter left out behind the first, two swapped, one twice, or the next key struck as well. */
function slips(word: string): readonly string[] {
  const all = Array.from(word).flatMap((letter, i) => {
    const [before, behind] = [word.slice(0, i), word.slice(i + 1)];
    const swapped = behind === '' ? [] : [before + behind.charAt(0) + letter + behind.slice(1)];
    const added = Array.from(
      letter + (BESIDE_ON_KEYBOARD[letter] ?? ''),
      (other) => before + other + word.slice(i),
    );
    return [...(i > 0 ? [before + behind] : []), ...swapped, ...added];
  });
  return [...new Set(all)].filter((slip) => slip !== word);
}

/** Words that end the name of a key whose value is a password: whatever stands there is hidden. */
export const PASSWORD_WORDS = [
  'password',
  ...slips('password'),
  'passwd',
  'passphrase',
  'passwort',
  'passcode',
  'pw ',
  'pw=',
  'pw:',
  'pw]',
  'pw"',
  "pw'",
  'pw\\"',
  'pwd',
  'pass',
  'pasw',
  'pswd',
  'psswd',
  'pswrd',
  'psword',
  'pssword',
  'psswrd',
  'pre-shared-key',
  'preshared_key',
  'pre_shared_key',
  'presharedkey',
  'pass-word',
  'pass_word',
  'pass word',
  'pass phrase',
  'pass-phrase',
  'pass_phrase',
  'passw=',
  'passw:',
  'psw ',
  'psw=',
  'psw:',
  'psk ',
  'psk=',
  'psk:',
  'psk"',
  'paswd',
  'paswrd',
];

/**
 * Ends of `serviceKey`, `encryptionKey`, `licenseKey`, `signingKey`, `writeKey`, `masterKey`, `sharedKey`, `deployKey`: so that
 * no common word begins like a hint.
 */
export const ENDS_OF_KEYS: readonly string[] = [
  'icekey',
  'ionkey',
  'nsekey',
  'gningkey',
  'itekey',
  'terkey',
  'redkey',
  'loykey',
];

/** Words that end the name of a key whose value is machine-made: it must look so. */
export const SECRET_WORDS = [
  'secret',
  'token',
  'apikey',
  'api_key',
  'api-key',
  'api key',
  'access_key',
  'access-key',
  'accesskey',
  'private_key',
  'private-key',
  'privatekey',
  'secretkey',
  'secret.key',
  'api.key',
  'access.key',
  'encryption.key',
  'secret_key',
  'secret-key',
  'auth_key',
  'authkey',
  'auth',
  'credential',
  'signature',
  'sig=',
  'sig"',
  "sig'",
  'sig\\"',
  'accountkey',
  'sharedaccesskey',
  'encryption_key',
  'signing_key',
  'master_key',
  'app_key',
  'appkey',
  'client_key',
  'license_key',
  ...ENDS_OF_KEYS,
  'session',
  'sessionid',
  'cookie',
  'webhook',
  'bearer',
  'otp',
  'salt',
  '_key',
  '-key',
  'key-data',
  'authorization',
  'jwt',
  'csrf',
  'pat=',
  'pat"',
  "pat'",
  'pat\\"',
  '?key=',
  '&key=',
  'sessid',
  'connect.sid',
  '_pat',
  '_api',
];

/** Where one word begins with another, this one is seen there as well. */
export function hintsOf(words: readonly string[]): readonly string[] {
  return words.filter((word) => !words.some((other) => other !== word && word.startsWith(other)));
}
