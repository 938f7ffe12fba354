import { GRAPH_QUERY } from '../../src/servers/http/graph-query.ts';
import type { Draw } from './draw.ts';
import { httpSession, type HttpRequest } from './http-text.ts';
import type { Session } from './session.ts';
import { hostileJson, hostileText, nodeId, requestId, taskId } from './values.ts';

const PATHS = [
  '/api/graph',
  '/api/tasks',
  '/api/nodes/',
  '/api/why',
  '/api/spikes',
  '/api/compare',
  '/api/summary',
  '/api/patterns',
  '/api/prune',
  '/api/adaptations',
  '/api/adaptations/reload',
  '/api/adaptations/preview',
  '/api/adaptations/tone',
  '/api/adaptations/tone/effect',
  '/mcp',
  '/api/erase',
  '/api/nodes/x/redaction',
  '/',
  '/healthz',
  '/readyz',
  '/metrics',
  '/explain',
  '/api',
  '/api/',
  '/api/cot',
];
const PARAMETERS = [
  ...GRAPH_QUERY,
  'nodeId',
  'taskId',
  'a',
  'b',
  'offset',
  'version',
  'limit',
  'access_token',
  '__proto__',
  '',
  'limit[]',
];
const VALUES = [
  'ERROR',
  'LLM_CALL',
  'none',
  'auto',
  'ui',
  'cytoscape',
  'd3',
  'graphology',
  '0',
  '-1',
  '1e9',
  'NaN',
  '%',
  '%zz',
  '%c0%80',
  '%00',
  '%ud800',
  '&&',
  '=',
  ',,,',
  '2025-01-01',
  '9'.repeat(40),
];
const METHODS = ['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'get', 'CONNECT'];
const LONG_URL = 20_000;

/** `/api/*` and what else port 9000 answers: odd paths, queries, methods and headers. */
export function api(draw: Draw): Session {
  return httpSession(draw, 'readers', request);
}

function request(draw: Draw): HttpRequest {
  const path = draw.weighted({ known: 6, node: 3, odd: 1 });
  const isPost = draw.chance(0.15);
  return {
    method: isPost ? 'POST' : draw.chance(0.95) ? 'GET' : draw.pick(METHODS),
    target: oneLine(draw, pathText(draw, path) + queryText(draw)),
    headers: isPost ? [['Content-Type', 'application/json']] : [],
    body: isPost ? postBody(draw) : Buffer.alloc(0),
  };
}

function pathText(draw: Draw, kind: 'known' | 'node' | 'odd'): string {
  if (kind === 'known') return draw.pick(PATHS);
  if (kind === 'node')
    return `/api/nodes/${encoded(draw, draw.chance(0.5) ? nodeId(draw) : requestId(draw))}`;
  if (draw.chance(0.1)) return `/${'a/'.repeat(draw.int(LONG_URL / 2))}`;
  return draw.pick([
    '//',
    '/api//graph',
    '/api/%67raph',
    '/api/nodes/%',
    '/api/nodes/%ff%fe',
    '/../api/tasks',
    '/api/nodes/..%2f..',
    'api/tasks',
    '*',
    'http://evil/api/tasks',
  ]);
}

function queryText(draw: Draw): string {
  if (draw.chance(0.2)) return '';
  if (draw.chance(0.005)) return `?text=${'a'.repeat(draw.int(LONG_URL))}`;
  const pairs = draw.list(draw.chance(0.98) ? draw.int(5) : draw.int(500), () => {
    const value = draw.weighted({ task: 2, node: 2, word: 3, text: 1 });
    const text =
      value === 'task'
        ? taskId(draw)
        : value === 'node'
          ? nodeId(draw)
          : value === 'word'
            ? draw.pick(VALUES)
            : hostileText(draw);
    return `${draw.pick(PARAMETERS)}=${value === 'word' ? text : encoded(draw, text)}`;
  });
  return `?${pairs.join('&')}`;
}

function encoded(draw: Draw, text: string): string {
  // encodeURIComponent refuses lone surrogates.
  return draw.chance(0.95) ? encodeURIComponent(text.toWellFormed()) : text;
}

/** Line breaks and blanks would end the target; now and then they may. */
function oneLine(draw: Draw, target: string): string {
  return draw.chance(0.99) ? target.replaceAll(/[\s\0]/g, '%20') : target;
}

/** Nothing here erases or prunes: that is for the well-behaved to rely on. */
function postBody(draw: Draw): Buffer {
  const body = draw.pick<unknown>([
    { olderThanMinutes: draw.pick<unknown>([1e9, -1, '5', null, NaN]) },
    { taskId: 'no-such' },
    hostileJson(draw),
  ]);
  return Buffer.from(JSON.stringify(body) ?? '');
}
