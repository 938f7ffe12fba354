import { hkdfSync } from 'node:crypto';
import { MarkerMaker } from './marker.ts';

/**
 * As the door writes it. A marker that is shown is shorter, so nothing is made twice. Of one at which a text was cut, what is
 * left of the code goes: it would be the same in every task.
 */
const TAG =
  /\[(?:([A-Z_]{2,16}):([a-z2-7]{16})\]|(EMAIL|PHONE|CARD|IBAN|SSN|IP|MAC|DOB|PERSON|ADDRESS|SECRET|OPAQUE|CUSTOM):[a-z2-7]{1,16}(?=\s?(?:…|$)|\n))/g;
const FOR_TASKS = 'shown markers';
const FOR_IDS = 'markers of ids';
/** Some hundred bytes each. */
const MAX_RECENT = 5000;

/**
 * Makes what readers see of the tags that the door writes. A tag is the same for a value wherever it stands, and nobody sees
 * one: so nobody can try values in a task of their own and look for their markers in others. Redaction does not know the
 * task of what it reads, which may change later; so this is done where stored text becomes what readers are given.
 */
export class ShownMarkers {
  private readonly forTasks: MarkerMaker;
  private readonly forIds: MarkerMaker;
  private readonly recent = new Map<string, string>();

  /** @param key that of the tags */
  constructor(key: Uint8Array) {
    const keyFor = (purpose: string): Uint8Array => new Uint8Array(hkdfSync('sha256', key, '', purpose, 32));
    this.forTasks = new MarkerMaker(keyFor(FOR_TASKS));
    this.forIds = new MarkerMaker(keyFor(FOR_IDS));
  }

  /** With the markers of a task in the place of tags, in names of members too. The same object where there are none. */
  shown<T>(taskId: string, value: T): T {
    return this.replaced(value, taskId) as T;
  }

  /** Ids join what is in different tasks: their markers are the same in all, and say nothing of those in texts. */
  id(text: string): string {
    return text.includes('[') ? replaceTags(text, (kind, code) => this.forIds.makeOf(kind, code)) : text;
  }

  /** All that a tag may be shown as in a task; a marker that is no tag as itself. */
  forms(taskId: string, tag: string): readonly string[] {
    const shown = this.inText(tag, taskId);
    return shown === tag ? [tag] : [shown, this.id(tag)];
  }

  private replaced(value: unknown, taskId: string): unknown {
    if (typeof value === 'string') return this.inText(value, taskId);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return this.inList(value, taskId);
    return this.inObject(value as { readonly [key: string]: unknown }, taskId);
  }

  private inList(list: readonly unknown[], taskId: string): readonly unknown[] {
    let copy: unknown[] | undefined;
    for (const [i, item] of list.entries()) {
      const shown = this.replaced(item, taskId);
      if (shown !== item) (copy ??= [...list])[i] = shown;
    }
    return copy ?? list;
  }

  private inObject(object: { readonly [key: string]: unknown }, taskId: string): object {
    let entries: [string, unknown][] | undefined;
    let passed = 0;
    for (const name in object) {
      const value = object[name];
      const shownName = this.inText(name, taskId);
      const shown = this.replaced(value, taskId);
      if (!entries && (shownName !== name || shown !== value))
        entries = Object.entries(object).slice(0, passed);
      entries?.push([shownName, shown]);
      passed++;
    }
    return entries ? Object.fromEntries(entries) : object;
  }

  /** The task is hashed with the code under one key: that is a key for each task, and none has to be kept. */
  private inText(text: string, taskId: string): string {
    return text.includes('[')
      ? replaceTags(text, (kind, code) => this.made(kind, `${code}\0${taskId}`))
      : text;
  }

  /** Nodes are made anew with each record of theirs, and values repeat. */
  private made(kind: string, value: string): string {
    const known = this.recent.get(value);
    if (known !== undefined) return known;
    if (this.recent.size >= MAX_RECENT) this.recent.clear();
    const marker = this.forTasks.makeOf(kind, value);
    this.recent.set(value, marker);
    return marker;
  }
}

function replaceTags(text: string, marker: (kind: string, code: string) => string): string {
  return text.replace(TAG, (_, kind?: string, code?: string, cut?: string) =>
    kind === undefined || code === undefined ? `[${cut}:` : marker(kind, code),
  );
}
