import { BOUNDARY_CODES } from '../base/boundary-error.ts';
import { ClientError } from '../client/client-error.ts';
import { fetchWith } from '../client/node-fetch.ts';
import { failure } from './cli-error.ts';
import { explainFailure } from './explain-failure.ts';
import type { Target } from './reader-options.ts';
import { plainText } from './terminal/plain-text.ts';

/** The service sends what it refuses, and why. */
interface Refusal {
  readonly error?: { readonly code?: string; readonly message?: string };
}

/**
 * A request to the service's HTTP API that the client's library has no call for.
 * @param path below the address of the service
 * @param notFound said where there is nothing by the path, in place of the service's words
 * @throws CliError that says what was wrong and what to do
 */
export async function askHttp<T>(
  target: Target,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
  notFound?: string,
): Promise<T> {
  const { url, token, tls } = target;
  let response: Response;
  let answer: T & Refusal;
  try {
    response = await fetchWith(tls)(new URL(path, url), {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    answer = (await response.json()) as T & Refusal;
  } catch (error) {
    throw explainFailure(
      error instanceof SyntaxError
        ? failure(`What answers at ${url} is not this service: is it the port for readers (9000 by default)?`)
        : new ClientError('UNREACHABLE', 'nothing answers', error),
      target,
    );
  }
  if (response.ok) return answer;
  const { code, message } = answer.error ?? {};
  const known = BOUNDARY_CODES.find((one) => one === code);
  const said = plainText(message ?? `the service answered ${response.status}`);
  if (known === 'NOT_FOUND' && notFound !== undefined) throw failure(notFound);
  // What there is of other things helps nobody.
  if (known === undefined || known === 'NOT_FOUND') throw failure(said);
  throw explainFailure(new ClientError(known, said), target);
}
