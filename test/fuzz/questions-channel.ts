import { ALL_FORMATS } from '../../src/exporters/export-graph.ts';
import { SCOPE_FIELDS } from '../../src/model/adaptations.ts';
import { TOOLS } from '../../src/servers/http/mcp/tools.ts';
import type { Draw } from './draw.ts';
import { httpSession, type HttpRequest } from './http-text.ts';
import { mutated } from './mutate.ts';
import { mutatedJson } from './mutate-json.ts';
import type { Session } from './session.ts';
import { hostileJson, hostileNumber, hostileText, nodeId, taskId } from './values.ts';

/** Those of the file that the service is started with. */
export const ADAPTATIONS = ['tone', 'plan', 'team:coder/style'] as const;

type Fields = { readonly [field: string]: unknown };

/** What is asked in other people's formats and protocols: exports, MCP, adaptations, replays. */
export function questions(draw: Draw): Session {
  const way = draw.weighted({ exported: 4, mcp: 4, adaptations: 4, replay: 1 });
  const request = { exported, mcp, adaptations, replay }[way];
  return httpSession(draw, 'readers', request);
}

function exported(draw: Draw): HttpRequest {
  const query = [
    `format=${draw.chance(0.98) ? draw.pick(ALL_FORMATS) : hostileText(draw)}`,
    ...(draw.chance(0.7) ? [`taskIds=${draw.list(draw.between(1, 3), () => taskId(draw)).join(',')}`] : []),
    ...(draw.chance(0.2) ? [`collapse=${draw.pick(['none', 'auto', ''])}`] : []),
    ...(draw.chance(0.2) ? [`status=${draw.pick(['ERROR', 'OK', ''])}`] : []),
    ...(draw.chance(0.2) ? ['include=archived'] : []),
  ];
  return get(`/api/graph?${query.map((one) => encodeURI(one.toWellFormed())).join('&')}`);
}

function mcp(draw: Draw): HttpRequest {
  const tool = draw.pick(TOOLS);
  const method = draw.weighted({
    'tools/call': 8,
    'tools/list': 1,
    initialize: 1,
    ping: 0.5,
    'notifications/initialized': 0.5,
  });
  const params =
    method === 'tools/call'
      ? {
          name: draw.chance(0.97) ? tool.name : hostileText(draw),
          arguments: toolInput(draw, Object.keys(tool.input.shape)),
        }
      : method === 'initialize'
        ? { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
        : {};
  return {
    ...json(draw, 'POST', '/mcp', {
      jsonrpc: '2.0',
      id: draw.chance(0.9) ? draw.int(99) : hostileJson(draw),
      method,
      params,
    }),
    headers: [
      ['Content-Type', 'application/json'],
      ['Accept', draw.chance(0.9) ? 'application/json, text/event-stream' : 'text/html'],
      ...(draw.chance(0.2) ? [['Mcp-Protocol-Version', draw.pick(['2025-06-18', '1', 'x'])] as const] : []),
    ],
  };
}

function toolInput(draw: Draw, names: readonly string[]): Fields {
  return Object.fromEntries(
    names
      .filter(() => draw.chance(0.7))
      .map((name) => [name, draw.chance(0.9) ? toolValue(draw, name) : hostileJson(draw)]),
  );
}

function toolValue(draw: Draw, name: string): unknown {
  if (/^(?:taskId|a|b)$/.test(name)) return taskId(draw);
  if (name === 'nodeId') return nodeId(draw);
  if (name === 'id') return adaptation(draw);
  if (/^(?:version|limit|min.*)$/.test(name)) return draw.chance(0.7) ? draw.int(5) : hostileNumber(draw);
  return draw.chance(0.7) ? edits(draw)[name] : hostileText(draw);
}

function adaptations(draw: Draw): HttpRequest {
  const at = `/api/adaptations/${encodeURIComponent(adaptation(draw).toWellFormed())}`;
  switch (draw.weighted({ list: 1, one: 2, edit: 3, effect: 2, preview: 2, reload: 1 })) {
    case 'list':
      return get('/api/adaptations');
    case 'one':
      return get(
        draw.chance(0.5) ? at : `${at}?version=${draw.pick(['1', '2', '-1', '1e9', 'x', '1&version=2'])}`,
      );
    case 'edit': {
      const ifMatch = draw.pick([
        '"1"',
        '"2"',
        'W/"1"',
        '*',
        '"99999999999"',
        'x',
        hostileText(draw).replaceAll(/[^ -~]/g, ''),
      ]);
      const request = json(draw, draw.chance(0.98) ? 'PUT' : 'PATCH', at, edits(draw));
      return draw.chance(0.3)
        ? { ...request, headers: [...request.headers, ['If-Match', ifMatch]] }
        : request;
    }
    case 'effect':
      return get(`${at}/effect`);
    case 'preview':
      return json(draw, 'POST', '/api/adaptations/preview', {
        scope: scope(draw),
        basePrompt: hostileText(draw),
      });
    case 'reload':
      return json(draw, 'POST', '/api/adaptations/reload', {});
  }
}

function edits(draw: Draw): Fields {
  return {
    ...(draw.chance(0.4) && { title: draw.chance(0.7) ? `title ${draw.int(4)}` : hostileText(draw) }),
    ...(draw.chance(0.4) && { content: hostileText(draw) }),
    ...(draw.chance(0.4) && { enabled: draw.chance(0.5) }),
    ...(draw.chance(0.3) && { scope: scope(draw) }),
    ...(draw.chance(0.3) && { tags: draw.list(draw.int(4), () => hostileText(draw)) }),
    ...(draw.chance(0.3) && { version: draw.chance(0.7) ? draw.between(1, 4) : hostileNumber(draw) }),
  };
}

function scope(draw: Draw): Fields {
  return Object.fromEntries(
    SCOPE_FIELDS.filter(() => draw.chance(0.3)).map((field) => [
      field,
      draw.chance(0.5) ? draw.pick(['*', 'Coder*', '*-*-*', '**********x', 'task-*']) : hostileText(draw),
    ]),
  );
}

/** Faster than anybody waits: one that lasts would keep its place. */
function replay(draw: Draw): HttpRequest {
  return json(draw, 'POST', '/api/replay', {
    taskId: taskId(draw),
    ...(draw.chance(0.9) && { speed: draw.chance(0.9) ? 1e6 : hostileNumber(draw) }),
  });
}

function adaptation(draw: Draw): string {
  return draw.chance(0.9) ? draw.pick(ADAPTATIONS) : hostileText(draw);
}

function get(target: string): HttpRequest {
  return { method: 'GET', target, headers: [], body: Buffer.alloc(0) };
}

function json(draw: Draw, method: string, target: string, value: Fields): HttpRequest {
  const body = mutated(draw, Buffer.from(JSON.stringify(mutatedJson(draw, value)) ?? ''));
  return { method, target, headers: [['Content-Type', 'application/json']], body };
}
