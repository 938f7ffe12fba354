import { canonicalAgent } from './agent.ts';

/** Where an adaptation belongs: all that is named must fit; nothing named: everywhere. `*` in a value stands for any text. */
export interface AdaptationScope {
  readonly agent?: string;
  readonly channel?: string;
  readonly model?: string;
  /** Of the task's id. */
  readonly task?: string;
  /** Of the session's id. */
  readonly session?: string;
}

export const SCOPE_FIELDS = ['agent', 'channel', 'model', 'task', 'session'] as const;

/** What may be said of an adaptation; a change of any of it is a new version. */
export interface AdaptationFields {
  readonly title: string;
  readonly description?: string;
  readonly scope: AdaptationScope;
  readonly tags: readonly string[];
  readonly enabled: boolean;
  /** What is added to a prompt. */
  readonly content: string;
}

export interface AdaptationVersion extends AdaptationFields {
  /** From 1. */
  readonly version: number;
  /** ISO 8601: when the service saw it first. It was in force until the next one. */
  readonly updatedAt: string;
  /** By an edit through the service, or in the file. */
  readonly by: 'edit' | 'file';
  /** It was taken out of the file; the fields are those that it had. */
  readonly removed?: true;
}

/** What the list says of one: all but the whole text. */
export interface AdaptationEntry extends Omit<AdaptationVersion, 'content' | 'removed'> {
  readonly id: string;
  readonly contentPreview: string;
  readonly contentChars: number;
}

/** What became of the file when it was last looked at. `broken`: the last good one stays in force. */
export interface AdaptationsFile {
  readonly state: 'none' | 'good' | 'broken';
  /** ISO 8601: when what is in force was read. */
  readonly loadedAt?: string;
  /** What is wrong, for people; without any value of the file. */
  readonly problem?: string;
  /** Versions cannot be written beside the file, so they last as long as the service. */
  readonly historyProblem?: string;
}

export interface AdaptationList {
  readonly file: AdaptationsFile;
  /** In the order of the file, which is that of a prompt. */
  readonly adaptations: readonly AdaptationEntry[];
}

export interface AdaptationDetail extends AdaptationVersion {
  readonly id: string;
  /** All that are known, the oldest first. */
  readonly versions: readonly AdaptationVersion[];
  /** Older ones that are not kept any more. */
  readonly versionsForgotten?: number;
  /** Of an edit: false when it was like that already, so that there is no new version. */
  readonly changed?: boolean;
}

export interface PreviewPart {
  readonly type: 'base_prompt' | 'prompt_adaptations';
  readonly value: string;
  /** `id@version`; of an edit that is not made yet `id`. */
  readonly adaptation?: string;
}

/** The prompt as it would be put together, redacted. */
export interface AdaptationPreview {
  /** `id@version`, in order. */
  readonly included: readonly string[];
  readonly parts: readonly PreviewPart[];
  readonly finalPrompt: string;
  /** Where each part stands in `finalPrompt`, in UTF-16 units. */
  readonly assembly: readonly { readonly part: number; readonly start: number; readonly end: number }[];
}

/** How an adaptation is named where it was used. */
export function adaptationRef(id: string, version: number): string {
  return `${id}@${version}`;
}

/** @returns undefined for what is no such name */
export function parseAdaptationRef(
  ref: string,
): { readonly id: string; readonly version?: number } | undefined {
  const [, id, version] = REF.exec(ref) ?? [];
  if (id === undefined) return undefined;
  return version === undefined ? { id } : { id, version: Number(version) };
}

const ID = '[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}';
const REF = new RegExp(`^(${ID})(?:@(\\d{1,9}))?$`);
export const ADAPTATION_ID = new RegExp(`^${ID}$`);

/** Several values of a field where any may fit; a field that is not known fits no pattern. */
export type Known = {
  readonly [Field in (typeof SCOPE_FIELDS)[number]]?: string | readonly string[] | undefined;
};

export function isInScope(scope: AdaptationScope, known: Known): boolean {
  return SCOPE_FIELDS.every((field) => {
    const pattern = scope[field];
    if (pattern === undefined) return true;
    const spelled = field === 'agent' ? canonicalAgent : (text: string) => text.toLowerCase();
    const values = [known[field] ?? []].flat();
    return values.some((value) => fits(spelled(pattern), spelled(value)));
  });
}

/** Each piece between two `*` is found at its first place, so this takes one pass. */
function fits(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
