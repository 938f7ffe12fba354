import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ClientError, type NewAnnotation } from '../../src/client/browser.ts';
import { useClient, useSession } from './session.ts';

/** Says something of a step. The graph, and so the page, has it when it is taken. */
export function useAnnotate(nodeId: string) {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (said: NewAnnotation) => client.annotate(nodeId, said),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['node'] }),
    onError: (error) => {
      if (error instanceof ClientError && error.code === 'UNAUTHENTICATED') useSession.getState().refuse();
    },
  });
}
