import { readObject } from '../read-object.ts';
import type { Route } from '../route.ts';
import type { McpOptions } from './answer.ts';

/** MCP over streamable HTTP, without sessions: one message a request, one answer. */
export function mcpRoute(options: McpOptions): Route {
  return {
    method: 'POST',
    path: '/mcp',
    needs: 'see',
    query: [],
    handle: async ({ body, raw, principal }) => {
      const message = readObject(await body(), '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}');
      // The SDK takes a while to load and some megabytes, and most services are never asked this way.
      const { answerMcp } = await import('./answer.ts');
      return answerMcp(options, principal, message, raw.headers);
    },
  };
}
