import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseArguments } from '../../src/cli/arguments.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { CONFIG_OPTIONS } from '../../src/cli/commands/service.ts';
import { READER_VARIABLES } from '../../src/cli/reader-options.ts';
import { KEY_BY_ENV, KEY_BY_FLAG } from '../../src/config/names.ts';
import { CONFIG_KEYS } from '../../src/config/schema.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = ['README.md', 'CONTRIBUTING.md', 'examples/coder-critic/README.md'].concat(
  readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
);
const text = new Map(PAGES.map((page) => [page, readFileSync(join(ROOT, page), 'utf8')]));

test('[E2E22] every command on a page is one that the program takes, with its options', () => {
  let commands = 0;
  for (const [page, content] of text)
    for (const line of commandLines(content)) {
      const [name = '', ...args] = line;
      if (!/^[a-z]+$/.test(name)) continue;
      const command = COMMANDS.find((one) => one.name === name);
      assert.ok(command, `${page}: ${line.join(' ')}`);
      const isConfigured = command.options.includes(CONFIG_OPTIONS);
      const own = isConfigured ? args.filter((arg) => !KEY_BY_FLAG.has(arg)) : args;
      assert.doesNotThrow(
        () => parseArguments(command.options, own, args.length),
        `${page}: ${line.join(' ')}`,
      );
      commands += 1;
    }
  assert.ok(commands > 5);
});

test('[E2E22] the page about the command line names every command', () => {
  const page = text.get('docs/command-line.md') ?? '';
  for (const { name } of COMMANDS) assert.match(page, new RegExp(`\`${name}\\b`));
});

test('[E2E22] every npm script, variable and key of the configuration on a page exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  for (const [page, content] of text) {
    for (const [, script = ''] of content.matchAll(/\bnpm run (?:-s )?([\w:-]+)/g))
      assert.ok(Object.hasOwn(scripts, script), `${page}: npm run ${script}`);
    for (const [name] of content.matchAll(/\bEXPLAINABILITY_AGENT_\w+/g))
      assert.ok(KEY_BY_ENV.has(name) || READER_VARIABLES.has(name), `${page}: ${name}`);
  }
});

test('[E2E22] every name in camel case on a page is a key of the configuration or stands in the sources', () => {
  const known = new Set<string>(CONFIG_KEYS);
  for (const folder of ['src', 'examples', 'proto', 'charts'])
    for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }))
      if (/\.(?:ts|js|html|proto|yaml|tpl)$/.test(name) && !name.includes('node_modules'))
        for (const [word] of readFileSync(join(ROOT, folder, name), 'utf8').matchAll(/\b[a-z]+[A-Z]\w*/g))
          known.add(word);
  const unknown: string[] = [];
  for (const [page, content] of text) {
    const code = Array.from(content.matchAll(/^```[\s\S]*?^```/gm), ([block]) => block).join('\n');
    for (const [, word = ''] of content.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`([a-z]+[A-Z]\w*)`/g))
      if (!known.has(word) && !code.includes(word)) unknown.push(`${page}: ${word}`);
  }
  assert.deepEqual(unknown, []);
});

/** The words behind the program's name, of every call in code of a page. */
function commandLines(content: string): readonly (readonly string[])[] {
  const code = Array.from(
    content.matchAll(/^```sh\n([\s\S]*?)^```|`([^`\n]+)`/gm),
    ([, block, inline]) => block ?? inline ?? '',
  );
  return code.flatMap((one) =>
    Array.from(
      one
        .replaceAll('\\\n', ' ')
        .matchAll(/(?:\bexplainability-agent|npm run -s cli --|\bnpm start|npm run demo) +([^\n|>#;&]+)/g),
      ([call, rest = '']) => [call, rest] as const,
    ).map(([call, rest]) => {
      const words = rest
        .trim()
        .split(/\s+/)
        .filter((word) => word !== '--');
      const script = /^npm (start|run demo)/.exec(call)?.[1];
      return script === undefined ? words : [script === 'start' ? 'serve' : 'demo', ...words];
    }),
  );
}
