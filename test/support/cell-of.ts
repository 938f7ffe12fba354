import { ClientError } from '../../src/client/client-error.ts';
import { BoundaryError } from '../../src/base/boundary-error.ts';
import { givenFields } from '../../src/base/given-fields.ts';
import type { AskedCell, CellAnswers } from '../../src/gateway/answers/asked-cell.ts';
import type { Engine } from '../../src/service/engine.ts';

/** A cell as a gateway asks it, in this process: what `reader` answers, as a client is told it. */
export function cellOf(name: string, { reader }: Engine, changes: Partial<CellAnswers> = {}): AskedCell {
  const answers: CellAnswers = {
    getGraph: (request) => told(() => reader.getWholeGraph(request)),
    getNode: (nodeId, page) => told(() => reader.getNode(nodeId, page)),
    findTasks: (query) => told(() => reader.listTasks(givenFields({ ...query }))),
    search: (query) => told(() => reader.search(givenFields({ ...query }))),
    why: (question) => told(() => reader.why(question)),
    spikes: (taskId) => told(() => reader.spikes(taskId)),
    compare: (a, b) => told(() => reader.compare({ a, b })),
    patterns: (filters) => told(() => reader.patterns(filters)),
    summary: (taskId) => told(() => reader.summary(taskId)),
    prune: (minutes) => told(() => reader.prune(minutes)),
    ...changes,
  };
  return { name, answers };
}

/** A cell that nothing is heard from. */
export function awayCell(name: string, error = new ClientError('UNREACHABLE', 'nothing answers')): AskedCell {
  const away = (): Promise<never> => Promise.reject(error);
  return {
    name,
    answers: {
      getGraph: away,
      getNode: away,
      findTasks: away,
      search: away,
      why: away,
      spikes: away,
      compare: away,
      patterns: away,
      summary: away,
      prune: away,
    },
  };
}

async function told<T>(ask: () => T | Promise<T>): Promise<T> {
  try {
    return structuredClone(await ask());
  } catch (error) {
    if (error instanceof BoundaryError) throw new ClientError(error.code, error.message);
    throw error;
  }
}
