import { decodeLiteral, isJson, literalEnd } from './json-text.ts';

/** A string in JSON and where its literal starts. */
export interface TextPart {
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
 * The texts in JSON that readers put together: those of one name in their order, as long as the same role speaks.
 * So the parts of a message and the chunks of an answer come in one list.
 * @returns lists of two and more; none in what is no JSON after all
 */
export function textParts(text: string): readonly (readonly TextPart[])[] {
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
  if (lists.length === 0 || !isJson(text)) return [];
  return lists.map(({ starts }) =>
    starts.map((start) => ({ start, text: decodeLiteral(text.slice(start, literalEnd(text, start))) })),
  );
}
