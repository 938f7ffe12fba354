import { Redactor, type RedactorOptions } from '../redactor.ts';
import type { Kind } from '../rule.ts';

/** A value that a marker stands for now, and where it was hidden. Raw: it goes to the vault and nowhere else. */
export interface Original {
  /** Id of the record, `traceId:spanId`, `req:…` or `event:…`, as the audit log names it. */
  readonly source: string;
  readonly field: string;
  readonly marker: string;
  readonly value: string;
}

/** Where the door is now. */
interface Place {
  readonly node: string;
  readonly field: string;
  readonly member: string;
}

/** Takes the originals of one batch once the graph has it. Never throws and never waits. */
export interface OriginalsSink {
  keep(originals: readonly Original[]): void;
}

/** Collects what is hidden while a batch passes the door. */
export class Originals {
  /** Set by the door. */
  place: Place = { node: '', field: '', member: '' };
  /** False while what passes is shown to nobody, so that its originals are not kept either. */
  isWanted = true;
  private readonly sink: OriginalsSink;
  private readonly keepSecrets: boolean;
  private collected: Original[] = [];

  /** @param keepSecrets `vaultSecrets`: credentials and key material as well */
  constructor(sink: OriginalsSink, keepSecrets: boolean) {
    this.sink = sink;
    this.keepSecrets = keepSecrets;
  }

  note(kind: Kind, value: string, marker: string): void {
    // Nobody can read what is opaque, and it would leave no room for what somebody can.
    if (!this.isWanted || kind === 'OPAQUE' || (kind === 'SECRET' && !this.keepSecrets)) return;
    const { node, field, member } = this.place;
    this.collected.push({ source: node, field: member === '' ? field : `${field}.${member}`, marker, value });
  }

  /** What was collected since the last time. Of a batch that is not taken after all it is simply dropped. */
  take(): readonly Original[] {
    const { collected } = this;
    if (collected.length > 0) this.collected = [];
    return collected;
  }

  keep(originals: readonly Original[]): void {
    if (originals.length > 0) this.sink.keep(originals);
  }
}

/** The redactor of a service with a vault: tells what each marker stands for. */
export class KeepingRedactor extends Redactor {
  private readonly originals: Originals;

  constructor(options: RedactorOptions, originals: Originals) {
    super(options);
    this.originals = originals;
  }

  override hide(kind: Kind, value: string): string {
    const marker = super.hide(kind, value);
    this.originals.note(kind, value, marker);
    return marker;
  }
}
