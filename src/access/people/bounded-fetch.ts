/** Tokens, keys and descriptions of a provider have some KB. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** As `fetch`, and refuses an answer that is larger than anything that a provider says. */
export async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  if (response.body === null) return response;
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the answer of the provider is too large');
    parts.push(part);
  }
  const { status, statusText, headers } = response;
  const whole = new Response(parts.length === 0 ? null : Buffer.concat(parts), {
    status,
    statusText,
    headers,
  });
  // What it was asked for, which a made answer does not know.
  Object.defineProperty(whole, 'url', { value: response.url });
  return whole;
}
