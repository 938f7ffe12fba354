import { PROGRAM, quoted } from './program.ts';
import { DEFAULT_URL, TOKEN_VARIABLE } from './reader-options.ts';

/** The service that printed commands talk to. */
export interface PrintedTarget {
  readonly url: string;
  readonly wantsToken: boolean;
}

/** A command that can be pasted as it stands. The token itself is never printed; the command finds it in the environment. */
export function commandLine({ url }: PrintedTarget, ...words: readonly string[]): string {
  const address = url === DEFAULT_URL ? [] : ['--url', url];
  return [PROGRAM, ...[...words, ...address].map(quoted)].join(' ');
}

export function curlLine({ url, wantsToken }: PrintedTarget, path: string): string {
  const header = wantsToken ? [`-H "authorization: Bearer $${TOKEN_VARIABLE}"`] : [];
  return ['curl', ...header, quoted(url + path)].join(' ');
}
