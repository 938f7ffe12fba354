import type { IncomingMessage } from 'node:http';
import { documentAnswer } from './page.ts';
import type { HttpAnswer } from './route.ts';

/** What a person may have looked for. Nothing of the request is in the answer. */
const PLACES = [
  ['', 'All runs'],
  ['patterns', 'What failed runs have in common'],
] as const;

/** Whether a person asks, with a browser; programs take anything, or name another type (RFC 9110, 12.5.1). */
export function wantsPage({ headers }: IncomingMessage): boolean {
  return /(?:^|[\s,])text\/html(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers.accept ?? '');
}

/** For people, at a path that is not there. @param path by which the way to the root is known @param known all paths */
export function unknownPathPage(path: string, known: readonly string[]): HttpAnswer {
  const root = '../'.repeat(path.split('/').length - 2) || './';
  const places = PLACES.map(([place, words]) => `<li><a href="${root}${place}">${words}</a></li>`);
  const programs = known.filter((one) => one.startsWith('/api/')).map((one) => `<li>${one}</li>`);
  return documentAnswer(
    404,
    `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Nothing is at this address – ExplainabilityAgent</title>
<style nonce="%NONCE%">
:root { color-scheme: light dark; }
body { max-width: 40rem; margin: 3rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; }
details ul { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
</style>
<h1>Nothing is at this address</h1>
<p>ExplainabilityAgent is running, but has no page here. These are its pages:</p>
<ul>
${places.join('\n')}
<li>One run: <code>t/</code> and the id of its task</li>
</ul>
<details>
<summary>Paths for programs</summary>
<ul>
${programs.join('\n')}
</ul>
</details>
</html>
`,
  );
}
