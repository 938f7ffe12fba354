import { BoundaryError, invalid } from '../base/boundary-error.ts';
import type { MarkerOriginals } from '../model/facts.ts';
import type { NodeDetail } from '../model/reader-messages.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { ShownMarkers } from '../redaction/shown-markers.ts';
import { markersOf, restore } from '../redaction/vault/restore.ts';
import type { Vault } from '../redaction/vault/vault.ts';
import type { RedactionHandler, RedactionRequest } from '../servers/http/redaction-route.ts';
import type { Refusal } from '../servers/http/route.ts';
import type { ReaderApi } from '../subscriptions/reader-api.ts';
import { askerOf, type AccessRecord, type Asker } from './access-record.ts';
import { readAdminRequest, type AdminRequest } from './admin-request.ts';

export interface RevealerOptions {
  readonly reader: ReaderApi;
  readonly vault: Vault | undefined;
  readonly accesses: AccessRecord;
  /** Has the node show these originals to everybody; without them it hides all again. */
  readonly override: (nodeId: string, originals?: MarkerOriginals) => Promise<void>;
  /** Those that it shows now. */
  readonly overrideOf: (nodeId: string) => MarkerOriginals | undefined;
  /** For the reason that is given: it must not keep what it finds there. */
  readonly redactor: Redactor;
  readonly shownMarkers: ShownMarkers;
}

/** Of a reveal nothing is kept anywhere. */
export interface RevealedNode extends NodeDetail {
  /** Markers that the answer shows the originals of, or that every reader sees from now on. */
  readonly revealed: number;
  /** Markers that stay: their originals are not kept, or were erased. */
  readonly notKept: number;
}

const MAX_ID_CHARS = 200;
/** An override is kept in memory and in the snapshot: a false positive is a handful of values. */
const MAX_OVERRIDDEN = 200;
const MAX_OVERRIDDEN_CHARS = 64 * 1024;

/** Gives administrators the originals of one node, or has it show false positives; every attempt is put on record. */
export class Revealer implements RedactionHandler {
  private readonly options: RevealerOptions;

  constructor(options: RevealerOptions) {
    this.options = options;
  }

  /** @throws BoundaryError FAILED_PRECONDITION, INVALID_ARGUMENT, NOT_FOUND, UNAVAILABLE */
  async handle(request: RedactionRequest): Promise<RevealedNode> {
    const vault = this.vault();
    const asked = readAdminRequest(await request.body());
    const detail = await this.options.reader.getNode(request.nodeId);
    if (detail.members) throw invalid('this node stands for several: ask for one of its members');
    switch (asked.action) {
      case 'reveal':
        return this.reveal(request, asked, detail, vault);
      case 'override':
        return this.override(request, asked, detail, vault);
      case 'revoke':
        await this.record(request, asked, 0);
        await this.options.override(detail.node.id);
        return this.changed(detail.node.id, 0, 0);
    }
  }

  refused(refusal: Refusal): Promise<void> {
    const { accesses } = this.options;
    const node = this.nodeOf(refusal.params['id'] ?? '');
    const why = refusal.error.code;
    return accesses.refused({ action: 'refused', why, node, ...accesses.askerOf(refusal) });
  }

  private async reveal(
    request: RedactionRequest,
    asked: AdminRequest,
    detail: NodeDetail,
    vault: Vault,
  ): Promise<RevealedNode> {
    const { field } = asked;
    const shown = field === undefined ? detail : part(detail, field);
    const wanted = markersOf(shown);
    const kept = await vault.find(this.tagsOf(wanted, detail.node));
    const originals = this.asShown(kept, wanted, detail.node);
    await this.record(request, asked, originals.size);
    const restored =
      field === undefined ? restore(detail, originals) : withPart(detail, field, restore(shown, originals));
    return { ...restored, revealed: originals.size, notKept: wanted.size - originals.size };
  }

  private async override(
    request: RedactionRequest,
    asked: AdminRequest,
    detail: NodeDetail,
    vault: Vault,
  ): Promise<RevealedNode> {
    const { markers } = asked;
    const wanted = new Set([...markersOf(detail)].filter((marker) => markers?.includes(marker) ?? true));
    const { id, taskId } = detail.node;
    // Whoever sends chooses what stands here: the originals of other tasks are not for every reader.
    const originals = await vault.find(this.tagsOf(wanted, detail.node), taskId);
    const all = { ...this.options.overrideOf(id), ...Object.fromEntries(originals) };
    const chars = Object.values(all).reduce((sum, value) => sum + value.length, 0);
    if (Object.keys(all).length > MAX_OVERRIDDEN || chars > MAX_OVERRIDDEN_CHARS)
      throw invalid(
        `of one node at most ${MAX_OVERRIDDEN} values of together ${MAX_OVERRIDDEN_CHARS} characters can be overridden: name some in markers`,
      );
    if (originals.size === 0)
      throw new BoundaryError('NOT_FOUND', 'nothing that was hidden in this node, and asked for, is kept');
    await this.record(request, asked, originals.size);
    await this.options.override(id, all);
    const shown = this.asShown(originals, wanted, detail.node).size;
    return this.changed(id, shown, wanted.size - shown);
  }

  /** What the vault keeps originals by, of markers that readers of a node see. */
  private tagsOf(
    wanted: ReadonlySet<string>,
    { taskId }: NodeDetail['node'],
  ): Pick<ReadonlySet<string>, 'size' | 'has'> {
    const { shownMarkers } = this.options;
    return {
      size: wanted.size,
      has: (tag) => shownMarkers.forms(taskId, tag).some((form) => wanted.has(form)),
    };
  }

  private asShown(
    originals: ReadonlyMap<string, string>,
    wanted: ReadonlySet<string>,
    { taskId }: NodeDetail['node'],
  ): ReadonlyMap<string, string> {
    const shown = [...originals].flatMap(([tag, original]) =>
      this.options.shownMarkers.forms(taskId, tag).map((form) => [form, original] as const),
    );
    return new Map(shown.filter(([marker]) => wanted.has(marker)));
  }

  /** The node as every reader sees it now. */
  private async changed(nodeId: string, revealed: number, notKept: number): Promise<RevealedNode> {
    return { ...(await this.options.reader.getNode(nodeId)), revealed, notKept };
  }

  private async record(request: RedactionRequest, asked: AdminRequest, values: number): Promise<void> {
    const { action, reason, field } = asked;
    const why = this.options.redactor.redactText(reason);
    await this.options.accesses
      .granted({
        action,
        ...this.asker(request),
        why,
        values,
        ...(field !== undefined && { field }),
      })
      .catch((cause: unknown) => {
        const message = 'the audit log cannot be written, so nothing is revealed: see the log';
        throw new BoundaryError('UNAVAILABLE', message, { cause });
      });
  }

  private vault(): Vault {
    const { vault } = this.options;
    if (!vault)
      throw new BoundaryError(
        'FAILED_PRECONDITION',
        'no originals are kept: set vaultKey or vaultKeyFile; what is redacted from then on can be revealed',
      );
    return vault;
  }

  private asker({ nodeId, principal }: RedactionRequest): Asker & { readonly node: string } {
    return { node: this.nodeOf(nodeId), ...askerOf(principal) };
  }

  /** What a stranger may have written into the path is redacted as everything else is. */
  private nodeOf(nodeId: string): string {
    return this.options.redactor.redactText(nodeId.slice(0, MAX_ID_CHARS));
  }
}

function part(detail: NodeDetail, field: string): unknown {
  if (field === 'node' || field === 'attributes') return detail[field];
  return detail.texts?.[field as keyof typeof detail.texts];
}

function withPart(detail: NodeDetail, field: string, restored: unknown): NodeDetail {
  if (restored === undefined) return detail;
  if (field === 'node' || field === 'attributes') return { ...detail, [field]: restored };
  return { ...detail, texts: { ...detail.texts, [field]: restored } };
}
