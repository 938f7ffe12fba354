import type { AttributeValue } from '../model/attributes.ts';
import { decodeLiteral, literalEnd, looksLikeJson, redactJson } from './json-text.ts';
import type { RedactionReport } from './report.ts';
import type { Finding } from './scanner.ts';

/** Finds what is to be hidden in a text, and hides it: the redactor. */
export interface Hider {
  findings(text: string, breaks?: readonly number[]): readonly Finding[];
  render(
    text: string,
    findings: readonly Finding[],
    from: number,
    to: number,
    report: RedactionReport,
  ): string;
}

/** A string in JSON and where its literal starts. */
interface TextPart {
  readonly start: number;
  readonly text: string;
}

/** Where messages of any provider have their texts, and who speaks. */
const MEMBER = /"(role|text|content|thinking|reasoning|reasoning_content|output_text)"\s*:\s*"/g;

interface Group {
  readonly starts: number[];
  role: string | undefined;
}

/**
 * Of the items of a list what only those beside them give away, such as the options of a command and a secret
 * that is cut in two.
 */
export function redactItems(
  hider: Hider,
  items: readonly string[],
  report: RedactionReport,
): readonly string[] {
  return redactTogether(hider, items, ' ', ({ rule }) => rule.kind === 'SECRET', report);
}

/** Of a value that holds parts of messages or chunks of an answer: what lies across them is hidden in each. */
export function redactParts(hider: Hider, value: AttributeValue, report: RedactionReport): AttributeValue {
  const source = JSON.stringify(value);
  const across = acrossParts(hider, source, () => true, report);
  if (across.size === 0) return value;
  const redacted = redactJson(source, {
    key: (name) => name,
    text: (text, _name, { start }) => across.get(start) ?? text,
    isSensitive: () => false,
    whole: () => undefined,
  });
  return redacted === undefined ? value : (JSON.parse(redacted) as AttributeValue);
}

/**
 * The texts of JSON in which something is to be hidden once they are put together, by their literals' starts.
 * @param isWhole whether it is JSON: asked only where it has such texts
 */
export function acrossParts(
  hider: Hider,
  text: string,
  isWhole: () => boolean,
  report: RedactionReport,
): ReadonlyMap<number, string> {
  const across = new Map<number, string>();
  for (const parts of textParts(text, isWhole)) {
    const texts = parts.map((part) => part.text);
    // Nearly all are clean, and each was looked at by itself.
    if (hider.findings(texts.join('')).length === 0) continue;
    const safe = redactTogether(hider, texts, '\n', () => true, report);
    if (safe !== texts) parts.forEach(({ start }, i) => across.set(start, safe[i] ?? ''));
  }
  return across;
}

/** Texts that are read one after the other, with `between` and without it. */
export function redactTogether(
  hider: Hider,
  texts: readonly string[],
  between: ' ' | '\n',
  isMeant: (finding: Finding) => boolean,
  report: RedactionReport,
): readonly string[] {
  const breaks: number[] = [];
  let length = 0;
  for (const text of texts) breaks.push((length += text.length + 1) - 1);
  breaks.pop();
  const text = texts.join(between);
  const findings = hider.findings(text, breaks).filter(isMeant);
  if (findings.length === 0) return texts;
  let at = 0;
  return texts.map((item) => {
    const from = at;
    at += item.length + 1;
    // JSON stays JSON: it is walked by itself.
    return looksLikeJson(item) ? item : hider.render(text, findings, from, from + item.length, report);
  });
}

/**
 * The texts in JSON that readers put together: those of one name in their order, as long as the same role speaks.
 * So the parts of a message and the chunks of an answer come in one list.
 * @returns lists of two and more; none in what is no JSON after all
 */
function textParts(text: string, isWhole: () => boolean): readonly (readonly TextPart[])[] {
  const open = new Map<string, Group>();
  const groups: Group[] = [];
  let role: string | undefined;
  MEMBER.lastIndex = 0;
  for (let match = MEMBER.exec(text); match; match = MEMBER.exec(text)) {
    const [, name = ''] = match;
    const start = MEMBER.lastIndex - 1;
    const end = literalEnd(text, start);
    MEMBER.lastIndex = end;
    if (name === 'role') role = text.slice(start, end);
    else {
      let group = open.get(name);
      if (group === undefined || (group.role !== undefined && group.role !== role)) {
        group = { starts: [], role };
        open.set(name, group);
        groups.push(group);
      }
      group.role = role;
      group.starts.push(start);
    }
  }
  const lists = groups.filter(({ starts }) => starts.length > 1);
  if (lists.length === 0 || !isWhole()) return [];
  return lists.map(({ starts }) =>
    starts.map((start) => ({ start, text: decodeLiteral(text.slice(start, literalEnd(text, start))) })),
  );
}
