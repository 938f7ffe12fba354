import { z } from 'zod';
import { parseJson } from '../base/json.ts';
import type { AdaptationVersion } from '../model/adaptations.ts';
import { isSame, type FileItem } from './fields.ts';

/** Of one adaptation; older ones are forgotten. */
export const MAX_VERSIONS = 100;
/** Of all versions together, about what they take in memory and on the disk; the oldest are forgotten first. */
const MAX_CHARS = 8 * 1024 * 1024;
/** A version without its texts, about. */
const CHARS_BESIDE_TEXTS = 300;

const scopeField = z.string().optional();
const versionSchema = z.strictObject({
  version: z.int().min(1),
  updatedAt: z.iso.datetime(),
  by: z.enum(['edit', 'file']),
  removed: z.literal(true).optional(),
  title: z.string(),
  description: z.string().optional(),
  scope: z.strictObject({
    agent: scopeField,
    channel: scopeField,
    model: scopeField,
    task: scopeField,
    session: scopeField,
  }),
  tags: z.array(z.string()),
  enabled: z.boolean(),
  content: z.string(),
});
const historySchema = z.strictObject({
  format: z.literal(1),
  adaptations: z.record(z.string(), z.array(versionSchema).min(1)),
});

/** Every version of every adaptation, as far as they are kept. A version never changes, so the same object may be shared. */
export class History {
  private byId: ReadonlyMap<string, readonly AdaptationVersion[]>;

  constructor(byId: ReadonlyMap<string, readonly AdaptationVersion[]> = new Map()) {
    this.byId = byId;
  }

  /** @returns undefined for a text that is none */
  static parse(text: string): History | undefined {
    let value: unknown;
    try {
      value = parseJson(text);
    } catch {
      return undefined;
    }
    const { data } = historySchema.safeParse(value);
    if (!data) return undefined;
    const lists = Object.values(data.adaptations);
    const areInOrder = lists.every((versions) =>
      versions.every(({ version }, at) => at === 0 || version === (versions[at - 1]?.version ?? 0) + 1),
    );
    // Parsing makes new objects without what is undefined.
    return areInOrder
      ? new History(new Map(Object.entries(data.adaptations) as [string, AdaptationVersion[]][]))
      : undefined;
  }

  toText(): string {
    return `${JSON.stringify({ format: 1, adaptations: Object.fromEntries(this.byId) })}\n`;
  }

  get ids(): readonly string[] {
    return [...this.byId.keys()];
  }

  versions(id: string): readonly AdaptationVersion[] {
    return this.byId.get(id) ?? [];
  }

  latest(id: string): AdaptationVersion | undefined {
    return this.byId.get(id)?.at(-1);
  }

  /**
   * What differs from its last version gets a new one; what is gone gets one that says so.
   * @param now milliseconds; a version is never older than the one before, whatever the clock says
   * @returns the history with them; itself when nothing differs
   */
  with(items: readonly FileItem[], now: number, by: AdaptationVersion['by']): History {
    const next = new Map(this.byId);
    const there = new Set<string>();
    for (const { id, ...fields } of items) {
      there.add(id);
      const last = this.latest(id);
      if (last && last.removed !== true && isSame(last, fields)) continue;
      next.set(id, [...this.versions(id), { ...following(last, now), by, ...fields }]);
    }
    for (const [id, versions] of this.byId) {
      const last = versions.at(-1);
      if (there.has(id) || !last || last.removed === true) continue;
      next.set(id, [...versions, { ...last, ...following(last, now), by, enabled: false, removed: true }]);
    }
    const isSameAsBefore = [...next].every(([id, versions]) => this.byId.get(id) === versions);
    return isSameAsBefore ? this : new History(bounded(next));
  }
}

function following(
  last: AdaptationVersion | undefined,
  now: number,
): Pick<AdaptationVersion, 'version' | 'updatedAt'> {
  const at = last ? Math.max(now, Date.parse(last.updatedAt) + 1) : now;
  return { version: (last?.version ?? 0) + 1, updatedAt: new Date(at).toISOString() };
}

/** The last version of what is in the file always stays. */
function bounded(
  all: ReadonlyMap<string, readonly AdaptationVersion[]>,
): ReadonlyMap<string, readonly AdaptationVersion[]> {
  const kept = new Map([...all].map(([id, versions]) => [id, versions.slice(-MAX_VERSIONS)]));
  let chars = 0;
  for (const versions of kept.values()) for (const version of versions) chars += charsOf(version);
  if (chars <= MAX_CHARS) return kept;
  const oldestFirst = [...kept]
    .flatMap(([id, versions]) =>
      versions.map((version, at) => ({ id, version, isLast: at === versions.length - 1 })),
    )
    .filter(({ version, isLast }) => !isLast || version.removed === true)
    .sort((a, b) => Date.parse(a.version.updatedAt) - Date.parse(b.version.updatedAt));
  for (const { id, version } of oldestFirst) {
    if (chars <= MAX_CHARS) break;
    chars -= charsOf(version);
    const left = (kept.get(id) ?? []).slice(1);
    if (left.length === 0) kept.delete(id);
    else kept.set(id, left);
  }
  return kept;
}

function charsOf({ title, description = '', content }: AdaptationVersion): number {
  return CHARS_BESIDE_TEXTS + title.length + description.length + content.length;
}
