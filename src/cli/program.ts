/** How the program is called from where it runs: the sources have no command on the path. */
export const PROGRAM = import.meta.url.endsWith('.ts') ? 'npm run -s cli --' : 'explainability-agent';

/** A word as a shell takes it for one. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The first argument of a process that is started by `serve` with `cells`. */
export const PROCESS_WORD = 'process-of-cells';
