import { attribute, bytesField, fixed64Field, numberField, textField } from './wire.ts';

/** Spans of one trace: an agent run with its calls and tools. */
export const SPANS_PER_TRACE = 8;
const TEXT_CHARS = 1000;
const WORDS =
  'the agent reads a file and then decides which of the two functions has to change because the failing test names it while the other one only wraps a call that was right all along so the plan is to edit the parser first run the tests again and look at the output before anything else is touched'.split(
    ' ',
  );

/** A request of GenAI spans whose ids, texts and times can be made new for each sending. */
export interface SpanRequest {
  readonly body: Buffer;
  readonly spans: number;
  readonly bytesPerSpan: number;
  /** Gives every span ids that were never sent before, and the time of now. @returns the span ids */
  renew(): string[];
}

/**
 * `count` spans of about 1.7 KB each: 12 GenAI attributes, 1 KB of message text, one event; traces of 8.
 * @param seed requests with different seeds have different texts
 */
export function spanRequest(count: number, seed: number): SpanRequest {
  return requestOf(count, (index) => genAiSpan(index, seed));
}

/** `count` spans of about 300 bytes each, without texts; traces of 8. */
export function smallSpanRequest(count: number): SpanRequest {
  return requestOf(count, smallSpan);
}

function requestOf(count: number, make: (index: number) => Buffer): SpanRequest {
  const spans = Array.from({ length: count }, (_, i) => bytesField(2, make(i)));
  const scope = bytesField(1, textField(1, 'bench'));
  const resource = bytesField(1, attribute(1, 'service.name', 'bench-agent'));
  const body = bytesField(1, Buffer.concat([resource, bytesField(2, Buffer.concat([scope, ...spans]))]));
  const places = findPlaces(body, count);
  return {
    body,
    spans: count,
    bytesPerSpan: body.length / count,
    renew: () => places.map((place) => place(body)),
  };
}

/** So that a small span has about 300 bytes. */
const SMALL_TEXT_CHARS = 40;
const TRACE_MARK = Buffer.from('TTTTTTTTTTTTTTTT');
const SPAN_MARK = Buffer.from('SSSSSSSS');
const PARENT_MARK = Buffer.from('PPPPPPPP');
/** As long as a span id in hex: no two answers of a model have the same id. */
const RESPONSE_MARK = 'RRRRRRRRRRRRRRRR';
const START_MARK = 0x5151515151515151n;
const END_MARK = 0x5252525252525252n;

function genAiSpan(index: number, seed: number): Buffer {
  const isRoot = index % SPANS_PER_TRACE === 0;
  const isTool = index % SPANS_PER_TRACE > 4;
  const operation = isRoot ? 'invoke_agent' : isTool ? 'execute_tool' : 'chat';
  const message = JSON.stringify([
    { role: 'user', parts: [{ type: 'text', content: textOf(index + seed * 7919) }] },
  ]);
  return Buffer.concat([
    bytesField(1, TRACE_MARK),
    bytesField(2, SPAN_MARK),
    isRoot ? Buffer.alloc(0) : bytesField(4, PARENT_MARK),
    textField(5, `${operation} ${isTool ? 'read_file' : 'gpt-4o'}`),
    numberField(6, 1),
    fixed64Field(7, START_MARK),
    fixed64Field(8, END_MARK),
    attribute(9, 'gen_ai.operation.name', operation),
    attribute(9, 'gen_ai.provider.name', 'openai'),
    attribute(9, 'gen_ai.request.model', 'gpt-4o'),
    attribute(9, 'gen_ai.response.model', 'gpt-4o-2024-08-06'),
    attribute(9, 'gen_ai.response.id', `chatcmpl-${RESPONSE_MARK}`),
    attribute(9, 'gen_ai.agent.name', 'bench-agent'),
    attribute(9, 'gen_ai.usage.input_tokens', 1200 + index),
    attribute(9, 'gen_ai.usage.output_tokens', 80),
    attribute(9, 'gen_ai.request.max_tokens', 4096),
    attribute(9, 'server.address', 'llm.internal.example'),
    attribute(9, 'gen_ai.tool.name', isTool ? 'read_file' : ''),
    attribute(9, 'gen_ai.input.messages', message),
    bytesField(11, Buffer.concat([fixed64Field(1, START_MARK), textField(2, 'gen_ai.first_token')])),
    bytesField(15, numberField(3, 1)),
  ]);
}

function smallSpan(index: number): Buffer {
  const isRoot = index % SPANS_PER_TRACE === 0;
  return Buffer.concat([
    bytesField(1, TRACE_MARK),
    bytesField(2, SPAN_MARK),
    isRoot ? Buffer.alloc(0) : bytesField(4, PARENT_MARK),
    textField(5, isRoot ? 'invoke_agent coder' : 'chat gpt-4o'),
    numberField(6, 1),
    fixed64Field(7, START_MARK),
    fixed64Field(8, END_MARK),
    attribute(9, 'gen_ai.operation.name', isRoot ? 'invoke_agent' : 'chat'),
    attribute(9, 'gen_ai.request.model', 'gpt-4o'),
    attribute(9, 'gen_ai.agent.name', 'coder'),
    attribute(9, 'gen_ai.usage.input_tokens', 1200 + index),
    attribute(9, 'gen_ai.usage.output_tokens', 80 + index),
    attribute(9, 'input.value', textOf(index).slice(0, SMALL_TEXT_CHARS)),
    bytesField(15, numberField(3, 1)),
  ]);
}

function textOf(seed: number): string {
  let state = (seed * 2654435761) >>> 0;
  let text = '';
  while (text.length < TEXT_CHARS) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    text += `${WORDS[(state >>> 16) % WORDS.length] ?? ''} `;
  }
  return text.slice(0, TEXT_CHARS);
}

let nextId = 1;
/** Ids of one process never repeat those of another. */
const RUN = Math.trunc(Math.random() * 0xffffffff);

/** For each span a function that writes new ids and times to where the marks were. */
function findPlaces(body: Buffer, count: number): ((body: Buffer) => string)[] {
  const at = { trace: 0, span: 0, parent: 0, start: 0, end: 0, response: 0 };
  const startMark = fixed64Field(7, START_MARK);
  const endMark = fixed64Field(8, END_MARK);
  const places: ((body: Buffer) => string)[] = [];
  let trace: { readonly id: Buffer; readonly root: Buffer } = { id: Buffer.alloc(16), root: Buffer.alloc(8) };
  for (let i = 0; i < count; i++) {
    const isRoot = i % SPANS_PER_TRACE === 0;
    at.trace = body.indexOf(TRACE_MARK, at.trace + 1);
    at.span = body.indexOf(SPAN_MARK, at.span + 1);
    if (!isRoot) at.parent = body.indexOf(PARENT_MARK, at.parent + 1);
    at.start = body.indexOf(startMark, at.start + 1);
    at.end = body.indexOf(endMark, at.end + 1);
    at.response = body.indexOf(RESPONSE_MARK, at.response + 1);
    const place = { ...at };
    places.push((target) => {
      const span = freshSpanId();
      if (isRoot) trace = { id: freshTraceId(), root: span };
      trace.id.copy(target, place.trace);
      span.copy(target, place.span);
      if (!isRoot) trace.root.copy(target, place.parent);
      if (place.response >= 0) target.write(span.toString('hex'), place.response, 'latin1');
      const now = BigInt(Date.now()) * 1_000_000n;
      target.writeBigUInt64LE(now, place.start + 1);
      target.writeBigUInt64LE(now + 120_000_000n, place.end + 1);
      return span.toString('hex');
    });
  }
  return places;
}

function freshSpanId(): Buffer {
  const id = Buffer.alloc(8);
  id.writeUInt32BE(RUN, 0);
  id.writeUInt32BE(nextId++, 4);
  return id;
}

function freshTraceId(): Buffer {
  const id = Buffer.alloc(16);
  id.writeUInt32BE(RUN, 0);
  id.writeUInt32BE(nextId++, 12);
  return id;
}
