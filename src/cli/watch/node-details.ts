import type { NodeDetail } from '../../model/reader-messages.ts';
import { PROGRAM } from '../program.ts';
import { describeNode, figuresOf, nodeLine } from '../terminal/describe-node.ts';
import type { Line } from '../terminal/line.ts';
import { plainLines, plainText, wrapToWidth } from '../terminal/plain-text.ts';

/** What is longer is read with "get", in a pager. */
const MAX_TEXT_LINES = 2000;
const MAX_MEMBERS = 500;
const MAX_VALUE_CHARS = 2000;

const TEXTS = [
  ['error', 'Error'],
  ['prompt', 'Prompt'],
  ['reasoning', 'Reasoning'],
  ['completion', 'Answer'],
  ['toolArguments', 'Arguments'],
  ['toolResult', 'Result'],
] as const;

/** Pure: all that is known of a step, for reading. */
export function detailLines(
  { node, texts, attributes, members }: NodeDetail,
  width: number,
): readonly Line[] {
  const figures = figuresOf(node).join('  ');
  return [
    describeNode(node),
    ...facts({
      id: node.id,
      task: node.taskId,
      began: node.timestamp,
      state: node.state,
      ...(figures !== '' && { figures }),
    }),
    ...TEXTS.flatMap(([key, title]) => section(title, texts?.[key], width)),
    ...section('Summary', texts === undefined ? node.promptSummary : undefined, width),
    ...titled('Details', facts(node.details ?? {})),
    ...Object.entries(attributes ?? {}).flatMap(([spanId, values]) =>
      titled(`Attributes of span ${plainText(spanId)}`, facts(values)),
    ),
    ...titled(
      `Stands for`,
      (members ?? []).slice(0, MAX_MEMBERS).map((member) => [{ text: '  ' }, ...nodeLine(member)]),
    ),
  ];
}

function facts(values: { readonly [key: string]: unknown }): readonly Line[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [
      { text: `  ${plainText(key)}: `, style: 'dim' },
      {
        text: plainText(
          (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_VALUE_CHARS),
        ),
      },
    ]);
}

function section(title: string, text: string | undefined, width: number): readonly Line[] {
  if (text === undefined || text === '') return [];
  const lines = wrapped(text, width - 2);
  return titled(title, [
    ...lines.slice(0, MAX_TEXT_LINES).map((line): Line => [{ text: `  ${line}` }]),
    ...(lines.length > MAX_TEXT_LINES
      ? [[{ text: `  … "${PROGRAM} get NODE_ID" prints all of it`, style: 'dim' } as const]]
      : []),
  ]);
}

function wrapped(text: string, width: number): readonly string[] {
  return plainLines(text).flatMap((line) => wrapToWidth(line, Math.max(1, width)));
}

function titled(title: string, lines: readonly Line[]): readonly Line[] {
  return lines.length === 0 ? [] : [[], [{ text: title, style: 'bold' }], ...lines];
}
