import { ClientError } from '../client/client-error.ts';
import { tlsProblem } from '../client/tls-problem.ts';
import { CliError, failure, wrongUsage } from './cli-error.ts';
import { PROGRAM } from './program.ts';
import { reachProblem } from './reach-problem.ts';
import { TOKEN_VARIABLE, type Target } from './reader-options.ts';

/** What is told of an error: one line, with what can be done about it. */
export function explainFailure(error: unknown, target: Target): CliError {
  if (error instanceof CliError) return error;
  if (!(error instanceof ClientError)) {
    return failure(`unexpected: ${error instanceof Error ? error.message.split('\n')[0] : 'unknown error'}`);
  }
  const { code, message } = error;
  if (code === 'UNREACHABLE') return failure(unreachable(error, target));
  if (code === 'UNAUTHENTICATED') return failure(tokenProblem(target));
  if (code === 'INVALID_ARGUMENT') return wrongUsage(message);
  if (code === 'NOT_FOUND') {
    return failure(`${message} ("${PROGRAM} tasks" and "get" show what there is)`);
  }
  if (code === 'METHOD_NOT_ALLOWED') {
    return failure(
      `What answers at ${target.url} does not know this call: is it the service's port for readers (9000 by default), and of this version?`,
    );
  }
  return failure(message);
}

/** For an answer that asks for another token, or for one at all. */
export function tokenProblem({ url, token }: Target): string {
  return token === undefined
    ? `The service at ${url} wants a token: set ${TOKEN_VARIABLE}, or give --token.`
    : `The service at ${url} does not take this token: check ${TOKEN_VARIABLE} or --token.`;
}

function unreachable(error: ClientError, { url }: Target): string {
  const problem = tlsProblem(error);
  if (problem !== undefined) return `What listens at ${url} can't be talked to: ${problem}.`;
  switch (reachProblem(error)) {
    case 'unknownHost':
      return `The host of ${url} is not known: check the name, or give another with --url.`;
    case 'otherProtocol':
      return `What listens at ${url} does not speak HTTP: is it the service's port for readers (9000 by default)? Give that one with --url.`;
    case 'refusedPort':
      return `The port of ${url} belongs to another protocol: give the service's port for readers (9000 by default) with --url.`;
    case 'nobody':
      return `Nothing answers at ${url}: is the service running there? Start it with "${PROGRAM} serve", or name another with --url.`;
  }
}
