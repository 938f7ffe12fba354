import type { AdaptationEdits } from '../adaptations/fields.ts';
import { assembled, parsePreview, partsOf } from '../adaptations/preview.ts';
import type { AdaptationStore } from '../adaptations/adaptation-store.ts';
import { BoundaryError, invalid } from '../base/boundary-error.ts';
import type { Turns } from '../base/pace.ts';
import type { AdaptationTimeline } from '../model/adaptation-effect.ts';
import {
  ADAPTATION_ID,
  type AdaptationDetail,
  type AdaptationList,
  type AdaptationScope,
  type AdaptationVersion,
} from '../model/adaptations.ts';
import type { AdaptationsApi } from '../model/adaptations-api.ts';
import { MARKER } from '../model/marker.ts';
import { clip } from '../model/one-line.ts';
import type { ReaderApi } from '../subscriptions/reader-api.ts';

export interface AdaptationAnswersOptions {
  readonly store: AdaptationStore;
  readonly reader: Pick<ReaderApi, 'adaptationEffect'>;
  /** A text as others may see it. */
  readonly redact: (text: string) => string;
  readonly pace: Turns;
}

/** Of a text in the list. */
const PREVIEW_CHARS = 200;

/** Answers about adaptations; no text of them leaves unredacted. */
export class AdaptationAnswers implements AdaptationsApi {
  private readonly options: AdaptationAnswersOptions;
  /** A version never changes. */
  private readonly redacted = new WeakMap<AdaptationVersion, AdaptationVersion>();

  constructor(options: AdaptationAnswersOptions) {
    this.options = options;
  }

  async list(): Promise<AdaptationList> {
    const { store, pace } = this.options;
    const adaptations = [];
    for (const { id, version } of store.adaptations) {
      const { content, removed: _, ...rest } = this.shown(version);
      adaptations.push({
        id,
        ...rest,
        contentPreview: clip(content, PREVIEW_CHARS),
        contentChars: content.length,
      });
      if (pace.isOver) await pace.rest();
    }
    return { file: store.file, adaptations };
  }

  async get(id: unknown, wanted?: unknown): Promise<AdaptationDetail> {
    const { store } = this.options;
    const name = idOf(id);
    const number = versionOf(wanted);
    const versions = store.versions(name);
    const version = number === undefined ? versions.at(-1) : versions.find((one) => one.version === number);
    if (version) return this.detail(name, version);
    throw new BoundaryError(
      'NOT_FOUND',
      versions.length === 0
        ? 'id: no adaptation has this id'
        : `version: this one has versions ${versions[0]?.version ?? 1} to ${versions.at(-1)?.version ?? 1}`,
    );
  }

  async update(id: unknown, edits: unknown, wanted?: unknown): Promise<AdaptationDetail> {
    const name = idOf(id);
    const { version, changed } = await this.options.store.update(
      name,
      edits,
      versionOf(wanted),
      (now, given) => this.assertWhole(now, given),
    );
    return { ...(await this.detail(name, version)), changed };
  }

  async reload(): Promise<AdaptationList> {
    await this.options.store.reload();
    return this.list();
  }

  async preview(input: unknown): ReturnType<AdaptationsApi['preview']> {
    const { store, redact, pace } = this.options;
    const parts = [];
    for (const part of partsOf(store.adaptations, parsePreview(input))) {
      parts.push({ ...part, value: redact(part.value) });
      if (pace.isOver) await pace.rest();
    }
    return assembled(parts);
  }

  async effect(id: unknown): ReturnType<AdaptationsApi['effect']> {
    const { store, reader } = this.options;
    const name = idOf(id);
    const versions = store.versions(name);
    if (versions.length === 0) throw new BoundaryError('NOT_FOUND', 'id: no adaptation has this id');
    const timeline: AdaptationTimeline = {
      id: name,
      versions: versions.map(({ version, updatedAt, enabled, scope }) => ({
        version,
        from: Date.parse(updatedAt),
        enabled,
        scope,
      })),
    };
    return reader.adaptationEffect(timeline);
  }

  private async detail(id: string, version: AdaptationVersion): Promise<AdaptationDetail> {
    const { store, pace } = this.options;
    const versions = [];
    for (const one of store.versions(id)) {
      versions.push(this.shown(one));
      if (pace.isOver) await pace.rest();
    }
    const forgotten = (versions[0]?.version ?? 1) - 1;
    return {
      id,
      ...this.shown(version),
      versions,
      ...(forgotten > 0 && { versionsForgotten: forgotten }),
    };
  }

  private shown(version: AdaptationVersion): AdaptationVersion {
    const known = this.redacted.get(version);
    if (known) return known;
    const { redact } = this.options;
    const { title, description, content, tags, scope } = version;
    const where = Object.entries(scope).map(([field, pattern]) => [field, redact(pattern)]);
    const shown = {
      ...version,
      title: redact(title),
      ...(description !== undefined && { description: redact(description) }),
      content: redact(content),
      tags: tags.map(redact),
      scope: Object.fromEntries(where) as AdaptationScope,
    };
    this.redacted.set(version, shown);
    return shown;
  }

  /**
   * Who edits what was answered would write markers over what they hide.
   * @throws BoundaryError INVALID_ARGUMENT
   */
  private assertWhole(now: AdaptationVersion, edits: AdaptationEdits): void {
    const own = new Set(markersIn(fieldsOf(now)));
    const hidden = new Set(markersIn(fieldsOf(this.shown(now))).filter((marker) => !own.has(marker)));
    if (markersIn(edits).some((marker) => hidden.has(marker)))
      throw invalid(
        'the edits hold markers such as [EMAIL:…] of what is hidden in this adaptation: write the values themselves, or edit the file',
      );
  }
}

function markersIn(fields: AdaptationEdits): readonly string[] {
  const { title = '', description = '', content = '', tags = [], scope = {} } = fields;
  return [title, description, content, ...tags, ...Object.values(scope)].flatMap(
    (text) => text?.match(MARKER) ?? [],
  );
}

function fieldsOf({ title, description, content, tags, scope }: AdaptationVersion): AdaptationEdits {
  return { title, description, content, tags: [...tags], scope };
}

function idOf(id: unknown): string {
  if (typeof id === 'string' && ADAPTATION_ID.test(id)) return id;
  throw invalid('id must be that of an adaptation');
}

/** A whole number, also as text. */
function versionOf(version: unknown): number | undefined {
  if (version === undefined) return undefined;
  const number = typeof version === 'string' && /^\d{1,9}$/.test(version) ? Number(version) : version;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number > 0) return number;
  throw invalid('version must be a whole number from 1');
}
