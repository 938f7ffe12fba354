/** Ids that providers give an answer: OpenAI's chat and Responses, OpenRouter; and what wraps one copies. */
const RESPONSE = /"id"\s{0,4}:\s{0,4}"((?:chatcmpl|cmpl|resp|gen)[-_][\w.-]{1,128})"/;
/** Anthropic's. In a body of the Responses API this is the id of one item, so it comes second. */
const MESSAGE = /"id"\s{0,4}:\s{0,4}"(msg_[\w.-]{1,128})"/;
/** Bodies begin with their id; what wraps one puts its own fields around it. */
const WINDOW = 4096;

/** The provider's id of an answer, out of its body as JSON text. */
export function responseIdOf(body: unknown): string | undefined {
  if (typeof body !== 'string' || !body.includes('"id"')) return undefined;
  const start = body.length > WINDOW ? body.slice(0, WINDOW) : body;
  const end = body.length > WINDOW ? body.slice(-WINDOW) : '';
  return (RESPONSE.exec(start) ?? RESPONSE.exec(end) ?? MESSAGE.exec(start) ?? MESSAGE.exec(end))?.[1];
}
