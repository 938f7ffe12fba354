import { requestNodeId, eventNodeId, spanKey } from '../model/ids.ts';
import { AG_UI_EVENTS } from '../model/ag-ui-events.ts';
import type { AttributeValue, Attributes } from '../model/attributes.ts';
import type {
  EventRecord,
  LogRecord,
  MetricRecord,
  Resource,
  Scope,
  SpanEvent,
  SpanLink,
  SpanRecord,
} from '../model/records.ts';
import type { CleanTexts } from './clean-texts.ts';
import type { Redactor, KeyInfo } from './redactor.ts';
import { WITHHELD } from './marker.ts';
import { MAX_NAME_CHARS } from '../model/one-line.ts';
import type { BatchReport } from './report.ts';
import { isOpaqueType, OPAQUE_NAME } from './rules/opaque.ts';
import { redactEventTexts } from './event-texts.ts';
import { redactItems, redactParts } from './text-parts.ts';

/** Ids of spans, alone or in a list: one in 50,000 has digits only and would do as the number of a card. */
const SPAN_IDS = /^(?:[\da-f]{32}:)?[\da-f]{16}(?:[ ,;]{1,3}(?:[\da-f]{32}:)?[\da-f]{16}){0,64}$/i;

/** Values nested deeper are withheld: the walk stays within the stack. */
const MAX_DEPTH = 64;

/**
 * Takes every string of a record to the redactor. A record without a finding comes back as the same object, and
 * nothing is allocated for it. Trace and span ids were validated on entry and are not looked at.
 */
export class RecordWalker {
  private readonly redactor: Redactor;
  private readonly report: BatchReport;
  private readonly resources = new WeakMap<Resource, Resource>();
  private readonly scopes = new WeakMap<Scope, Scope>();
  private readonly clean: CleanTexts | undefined;

  /** @param clean undefined where no text may be kept */
  constructor(redactor: Redactor, report: BatchReport, clean?: CleanTexts) {
    this.redactor = redactor;
    this.report = report;
    this.clean = clean;
  }

  span(record: SpanRecord): SpanRecord {
    this.report.node = spanKey(record.traceId, record.spanId);
    const name = this.text(record.name, 'name');
    const statusMessage = this.text(record.statusMessage, 'statusMessage');
    const traceState = this.text(record.traceState, 'traceState');
    const attributes = this.attributes(record.attributes, 'attributes');
    const events = mapped(record.events, (event) => this.spanEvent(event));
    const links = mapped(record.links, (link) => this.spanLink(link));
    const scope = this.scope(record.scope);
    const resource = this.resource(record.resource);
    const same =
      name === record.name &&
      statusMessage === record.statusMessage &&
      traceState === record.traceState &&
      attributes === record.attributes &&
      events === record.events &&
      links === record.links &&
      scope === record.scope &&
      resource === record.resource;
    return same
      ? record
      : { ...record, name, statusMessage, traceState, attributes, events, links, scope, resource };
  }

  log(record: LogRecord): LogRecord {
    this.report.node = record.traceId && record.spanId ? spanKey(record.traceId, record.spanId) : 'log';
    const severityText = this.text(record.severityText, 'severityText');
    const eventName = this.text(record.eventName, 'eventName');
    this.report.field = 'body';
    this.report.member = '';
    const body = this.value(record.body, this.keyOf('body'), 0);
    const attributes = this.attributes(record.attributes, 'attributes');
    const scope = this.scope(record.scope);
    const resource = this.resource(record.resource);
    const same =
      severityText === record.severityText &&
      eventName === record.eventName &&
      body === record.body &&
      attributes === record.attributes &&
      scope === record.scope &&
      resource === record.resource;
    return same ? record : { ...record, severityText, eventName, body, attributes, scope, resource };
  }

  /** Names and units repeat with every point, so they are looked up like the names of attributes. */
  metric(record: MetricRecord): MetricRecord {
    this.report.node = 'metric';
    this.report.member = '';
    this.report.field = 'name';
    const name = this.keyOf(record.name).name;
    this.report.field = 'unit';
    const unit = this.keyOf(record.unit).name;
    const attributes = this.attributes(record.attributes, 'attributes');
    const scope = this.scope(record.scope);
    const resource = this.resource(record.resource);
    const same =
      name === record.name &&
      unit === record.unit &&
      attributes === record.attributes &&
      scope === record.scope &&
      resource === record.resource;
    return same ? record : { ...record, name, unit, attributes, scope, resource };
  }

  event(record: EventRecord): EventRecord {
    const eventId = this.redactor.ownId(this.text(record.eventId, 'eventId'));
    this.report.node = eventNodeId(eventId);
    const eventType = this.text(record.eventType, 'eventType');
    const component = this.optional(record.component, 'component');
    this.report.field = 'payload';
    const payload = this.members(record.payload, 0);
    const same =
      eventId === record.eventId &&
      eventType === record.eventType &&
      component === record.component &&
      payload === record.payload;
    return same ? record : { ...record, eventId, eventType, component, payload };
  }

  /** The request's id without secrets, which names the node that further fields are reported under. */
  requestId(requestId: string): string {
    const safe = this.redactor.ownId(this.text(requestId, 'requestId'));
    this.report.node = requestNodeId(safe);
    return safe;
  }

  optional(text: string | undefined, field: string): string | undefined {
    return text === undefined ? undefined : this.text(text, field);
  }

  /** Fails closed: whatever goes wrong in the redactor, the field is withheld and counted. */
  text(text: string, field: string): string {
    this.report.field = field;
    this.report.member = '';
    try {
      return this.redacted(text);
    } catch {
      this.report.failed();
      return WITHHELD;
    }
  }

  /** Of a text that nothing but itself gives away. */
  private redacted(text: string): string {
    if (this.clean?.has(text) === true) return text;
    const safe = this.redactor.redactText(text, this.report);
    if (safe === text) this.clean?.add(text);
    return safe;
  }

  private attributes(attributes: Attributes, field: string): Attributes {
    let copy: Map<string, AttributeValue> | undefined;
    this.report.field = field;
    for (const [key, value] of attributes) {
      this.report.member = '';
      const info = this.keyOf(key);
      this.report.member = info.name;
      const redacted = this.value(value, isOpaqueData(key, attributes) ? this.keyOf(OPAQUE_NAME) : info, 0);
      if (redacted === value && info.name === key) continue;
      copy ??= new Map(attributes);
      if (info.name !== key) copy.delete(key);
      copy.set(info.name, redacted);
    }
    return copy ?? attributes;
  }

  private keyOf(key: string): KeyInfo {
    try {
      return this.redactor.keyInfo(key, this.report);
    } catch {
      this.report.failed();
      return { name: WITHHELD, class: 'plain', announces: false, namesSpans: false };
    }
  }

  private value(value: AttributeValue, info: KeyInfo, depth: number): AttributeValue {
    if (typeof value === 'string') {
      if (info.class === 'plain' && value.length < 4) return value;
    } else if (typeof value === 'number') {
      if (info.class === 'plain') return value;
    } else if (typeof value !== 'object' || value === null) return value;
    if (info.namesSpans && typeof value === 'string' && SPAN_IDS.test(value)) return value;
    try {
      if (typeof value === 'string' && info.class === 'plain' && !info.announces) return this.redacted(value);
      if (typeof value !== 'object') return this.redactor.redactMember(info, value, this.report);
      let together: AttributeValue = value;
      if (depth === 0) together = redactParts(this.redactor, value, this.report);
      if (depth === 0 && info.name === AG_UI_EVENTS)
        together = redactEventTexts(this.redactor, together, this.report);
      return this.collection(together as typeof value, info, depth);
    } catch {
      this.report.failed();
      return WITHHELD;
    }
  }

  private collection(
    value: readonly AttributeValue[] | { readonly [key: string]: AttributeValue },
    info: KeyInfo,
    depth: number,
  ): AttributeValue {
    if (depth >= MAX_DEPTH) {
      this.report.failed();
      return WITHHELD;
    }
    const whole = this.redactor.redactCollection(info, value, this.report);
    if (whole !== undefined) return whole;
    if (!isList(value)) return this.members(value, depth + 1);
    const isText = !info.namesSpans && value.length > 1 && value.every((item) => typeof item === 'string');
    const items = isText ? redactItems(this.redactor, value, this.report) : value;
    return mapped(items, (item) => this.value(item, info, depth + 1));
  }

  private members(
    object: { readonly [key: string]: AttributeValue },
    depth: number,
  ): { readonly [key: string]: AttributeValue } {
    let changed = false;
    const entries: [string, AttributeValue][] = [];
    for (const [key, value] of Object.entries(object)) {
      if (depth === 0) this.report.member = '';
      const info = this.keyOf(key);
      if (depth === 0) this.report.member = info.name;
      const redacted = this.value(value, this.nameBeside(key, object) ?? info, depth);
      if (redacted !== value || info.name !== key) changed = true;
      entries.push([info.name, redacted]);
    }
    return changed ? Object.fromEntries(entries) : object;
  }

  /** In `{name: "DB_PASSWORD", value: "…"}` the name is that of the value, and the type says that `data` is opaque. */
  private nameBeside(key: string, object: { readonly [key: string]: AttributeValue }): KeyInfo | undefined {
    if (key === 'data' && isOpaqueType(object['type'])) return this.keyOf(OPAQUE_NAME);
    if (key !== 'value') return undefined;
    const name = object['name'] ?? object['key'];
    return typeof name === 'string' && name.length <= MAX_NAME_CHARS ? this.keyOf(name) : undefined;
  }

  private spanEvent(event: SpanEvent): SpanEvent {
    const name = this.text(event.name, 'events.name');
    const attributes = this.attributes(event.attributes, 'events.attributes');
    return name === event.name && attributes === event.attributes ? event : { ...event, name, attributes };
  }

  private spanLink(link: SpanLink): SpanLink {
    const attributes = this.attributes(link.attributes, 'links.attributes');
    return attributes === link.attributes ? link : { ...link, attributes };
  }

  /** Shared by all records of a request: looked at once. */
  private resource(resource: Resource): Resource {
    const known = this.resources.get(resource);
    if (known) return known;
    const attributes = this.attributes(resource.attributes, 'resource.attributes');
    const redacted = attributes === resource.attributes ? resource : { ...resource, attributes };
    this.resources.set(resource, redacted);
    return redacted;
  }

  private scope(scope: Scope): Scope {
    const known = this.scopes.get(scope);
    if (known) return known;
    const name = this.text(scope.name, 'scope.name');
    const version = this.text(scope.version, 'scope.version');
    const attributes = this.attributes(scope.attributes, 'scope.attributes');
    const same = name === scope.name && version === scope.version && attributes === scope.attributes;
    const redacted = same ? scope : { name, version, attributes };
    this.scopes.set(scope, redacted);
    return redacted;
  }
}

/** As `nameBeside`, of attributes that each hold one member of a part: `….message_content.data`. */
function isOpaqueData(key: string, attributes: Attributes): boolean {
  return key.endsWith('.data') && isOpaqueType(attributes.get(`${key.slice(0, -'data'.length)}type`));
}

function isList(value: object): value is readonly AttributeValue[] {
  return Array.isArray(value);
}

/** The same list when `change` returned every item itself. */
function mapped<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  let copy: T[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as T;
    const changed = change(item);
    if (changed !== item) copy ??= items.slice(0, i);
    copy?.push(changed);
  }
  return copy ?? items;
}
