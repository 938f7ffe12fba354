import { readFile } from 'node:fs/promises';
import { text as textFrom } from 'node:stream/consumers';
import type { AdaptationEffect } from '../../model/adaptation-effect.ts';
import {
  SCOPE_FIELDS,
  type AdaptationDetail,
  type AdaptationList,
  type AdaptationPreview,
} from '../../model/adaptations.ts';
import { detailLines, effectLines, listLines, previewLines } from '../adaptation-lines.ts';
import type { Arguments } from '../arguments.ts';
import { askHttp } from '../ask-http.ts';
import { failure, wrongUsage } from '../cli-error.ts';
import { printAnswer } from '../output.ts';
import { readerCommand } from '../reader-command.ts';
import type { Target } from '../reader-options.ts';

const VERBS = ['list', 'get', 'update', 'reload', 'preview', 'effect'] as const;
type Verb = (typeof VERBS)[number];

/** What only some of them take; `json` is for all. */
const TAKES: { readonly [V in Verb]: readonly string[] } = {
  list: [],
  get: ['at-version'],
  update: [
    'at-version',
    'title',
    'description',
    'content',
    'content-file',
    'enable',
    'disable',
    'tag',
    ...SCOPE_FIELDS,
  ],
  reload: [],
  preview: ['base', 'base-file', ...SCOPE_FIELDS],
  effect: [],
};
const NAMES_ONE: ReadonlySet<Verb> = new Set(['get', 'update', 'effect']);

export const adaptations = readerCommand({
  name: 'adaptations',
  summary: 'guidance added to prompts: read, change, compare',
  usage: '[list | get ID | update ID | reload | preview | effect ID] [options]',
  about: [
    'They stand in a file (setting adaptationsFile) that may be edited by hand; each change is a new version, and all versions stay readable.',
    'update changes what is given and nothing else. effect compares tasks with and without each version.',
  ],
  options: [
    {
      title: 'Options',
      options: [
        { name: 'json', help: 'the answer as JSON' },
        {
          name: 'at-version',
          value: 'N',
          help: 'get: as it was in this version; update: only if it still is at this version',
        },
      ],
    },
    {
      title: 'What update changes',
      options: [
        { name: 'title', value: 'TEXT', help: 'its title' },
        { name: 'description', value: 'TEXT', help: 'what it is for' },
        { name: 'content', value: 'TEXT', help: 'what is added to prompts' },
        { name: 'content-file', value: 'FILE', help: 'the same out of a file; - is standard input' },
        { name: 'enable', help: 'add it to prompts' },
        { name: 'disable', help: 'do not' },
        { name: 'tag', value: 'WORD', many: true, help: 'its tags' },
      ],
    },
    {
      title: 'For which prompts (update: with * for any text; preview: what the prompt is for)',
      options: [
        { name: 'agent', value: 'NAME', help: 'of the agent' },
        { name: 'channel', value: 'NAME', help: 'of the channel' },
        { name: 'model', value: 'NAME', help: 'of the model' },
        { name: 'task', value: 'ID', help: 'of the task' },
        { name: 'session', value: 'ID', help: 'of the session' },
      ],
    },
    {
      title: 'What preview begins with',
      options: [
        { name: 'base', value: 'TEXT', help: 'the prompt without adaptations' },
        { name: 'base-file', value: 'FILE', help: 'the same out of a file; - is standard input' },
      ],
    },
  ],
  examples: [
    { line: 'explainability-agent adaptations', what: 'what there is, and whether the file is good' },
    {
      line: 'explainability-agent adaptations update tone --disable --at-version 3',
      what: 'switch one off, unless somebody changed it',
    },
    {
      line: 'explainability-agent adaptations preview --agent CoderAgent --base-file prompt.txt',
      what: 'the prompt that results',
    },
    { line: 'explainability-agent adaptations effect tone', what: 'tasks with it and without' },
  ],
  maxWords: 2,
  run: async (args, target) => {
    const [word = 'list', id, ...more] = args.positionals;
    const verb = VERBS.find((known) => known === word);
    if (verb === undefined) throw wrongUsage(`the first word must be one of ${VERBS.join(', ')}`);
    if (NAMES_ONE.has(verb) !== (id !== undefined) || more.length > 0)
      throw wrongUsage(
        NAMES_ONE.has(verb)
          ? `name an adaptation: adaptations ${verb} ID; "explainability-agent adaptations" lists them`
          : `adaptations ${verb} takes no further words`,
      );
    const others = Object.values(TAKES).flat();
    const wrong = others.find((name) => args.has(name) && !TAKES[verb].includes(name));
    if (wrong !== undefined) throw wrongUsage(`adaptations ${verb} does not take --${wrong}`);
    const { answer, lines } = await ask(
      verb,
      args,
      target,
      `/api/adaptations/${encodeURIComponent(id ?? '')}`,
    );
    return printAnswer(args, answer, () => lines);
  },
});

interface Told {
  readonly answer: unknown;
  readonly lines: readonly string[];
}

async function ask(verb: Verb, args: Arguments, target: Target, one: string): Promise<Told> {
  switch (verb) {
    case 'list':
      return listed(await askHttp<AdaptationList>(target, 'GET', '/api/adaptations'));
    case 'reload':
      return listed(await askHttp<AdaptationList>(target, 'POST', '/api/adaptations/reload'));
    case 'get': {
      const version = versionOf(args);
      const query = version === undefined ? '' : `?version=${version}`;
      return detailed(await askHttp<AdaptationDetail>(target, 'GET', `${one}${query}`));
    }
    case 'update':
      return detailed(await askHttp<AdaptationDetail>(target, 'PUT', one, await editsOf(args)));
    case 'preview': {
      const request = { scope: scopeOf(args), basePrompt: (await given(args, 'base')) ?? '' };
      const answer = await askHttp<AdaptationPreview>(target, 'POST', '/api/adaptations/preview', request);
      return { answer, lines: previewLines(answer) };
    }
    case 'effect': {
      const answer = await askHttp<AdaptationEffect>(target, 'GET', `${one}/effect`);
      return { answer, lines: effectLines(answer) };
    }
  }
}

function listed(answer: AdaptationList): Told {
  return { answer, lines: listLines(answer) };
}

function detailed(answer: AdaptationDetail): Told {
  return { answer, lines: detailLines(answer) };
}

async function editsOf(args: Arguments): Promise<object> {
  if (args.has('enable') && args.has('disable')) throw wrongUsage('leave one of --enable and --disable');
  const scope = scopeOf(args);
  const tags = args.list('tag');
  const content = await given(args, 'content');
  const [title, description] = [args.text('title'), args.text('description')];
  const edits = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(content !== undefined && { content }),
    ...((args.has('enable') || args.has('disable')) && { enabled: args.has('enable') }),
    ...(tags.length > 0 && { tags }),
    ...(Object.keys(scope).length > 0 && { scope }),
  };
  if (Object.keys(edits).length === 0) throw wrongUsage('say what to change: --content TEXT, --disable, …');
  const version = versionOf(args);
  return { ...edits, ...(version !== undefined && { version }) };
}

function scopeOf(args: Arguments): { readonly [field: string]: string } {
  return Object.fromEntries(
    SCOPE_FIELDS.flatMap((field) => {
      const value = args.text(field);
      return value === undefined ? [] : [[field, value]];
    }),
  );
}

function versionOf(args: Arguments): number | undefined {
  const version = args.text('at-version');
  if (version === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(version)) throw wrongUsage('--at-version must be a whole number from 1');
  return Number(version);
}

/** A text that may be given as it is, or in a file. */
async function given(args: Arguments, name: 'content' | 'base'): Promise<string | undefined> {
  const file = args.text(`${name}-file`);
  if (file === undefined) return args.text(name);
  if (args.has(name)) throw wrongUsage(`leave one of --${name} and --${name}-file`);
  if (file === '-') return textFrom(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw failure(
      `the file of --${name}-file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'no reason given'})`,
    );
  }
}
