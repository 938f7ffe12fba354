'use strict';
// The live list: one subscription over the WebSocket, the graph kept in two maps, drawn at most once a frame.

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 15000;
// What a browser lays out without stalling; the rest is counted.
const MAX_ROWS_PER_TASK = 500;

const view = (id) => document.getElementById(id);
const nodes = new Map();
const edges = new Map();
let socket;
let subscriptionId;
let sequence = 0;
let retryMs = FIRST_RETRY_MS;
let drawing = false;
let lastError = '';
// In the fragment it never reaches a server's log.
let token =
  new URLSearchParams(location.hash.slice(1)).get('access_token') || sessionStorage.getItem('token') || '';

function connect() {
  const url = new URL('explain', location.href);
  url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  url.hash = '';
  if (token) url.searchParams.set('access_token', token);
  socket = new WebSocket(url);
  socket.onopen = () => {
    retryMs = FIRST_RETRY_MS;
    view('token-form').hidden = true;
    if (token) sessionStorage.setItem('token', token);
    subscribe(subscriptionId !== undefined);
    say('Live');
  };
  socket.onmessage = (event) => receive(JSON.parse(event.data));
  socket.onclose = (event) => lost(event.reason);
}

async function lost(reason) {
  const seconds = Math.round(retryMs / 1000) || 1;
  say(`${reason || lastError || 'Connection lost'}; trying again in ${seconds} s`);
  lastError = '';
  // A browser doesn't say why an upgrade was refused; a plain request does.
  const answer = await fetch('api/tasks', {
    headers: token ? { authorization: `Bearer ${token}` } : {},
  }).catch(() => null);
  if (answer && answer.status === 401) {
    view('token-form').hidden = false;
    say('This service asks for its access token');
    return;
  }
  setTimeout(connect, retryMs * (0.75 + Math.random() / 2));
  retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
}

function filters() {
  return view('errors-only').checked ? { status: ['ERROR', 'WARNING'] } : {};
}

function subscribe(resume) {
  const request = resume ? { subscriptionId, resumeFrom: sequence } : { filters: filters() };
  send({ type: 'subscribe', requestId: resume ? 'resume' : 'fresh', request });
}

function send(frame) {
  if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
}

function receive(frame) {
  switch (frame.type) {
    case 'subscribed':
      subscriptionId = frame.subscriptionId;
      sequence = frame.sequence;
      nodes.clear();
      edges.clear();
      add(frame.graph.nodes, frame.graph.edges);
      break;
    case 'update':
      if (frame.subscriptionId !== subscriptionId) return;
      sequence = frame.sequence;
      apply(frame.update);
      break;
    case 'snapshotNeeded':
      subscribe(false);
      return;
    case 'error':
      // The service was restarted, or the time to resume is over.
      if (frame.requestId === 'resume' || frame.subscriptionId === subscriptionId) subscribe(false);
      else {
        lastError = frame.message;
        say(frame.message);
      }
      return;
    default:
      return;
  }
  draw();
}

// Removals first; what is added replaces; a removed node takes its edges along.
function apply(update) {
  const gone = new Set(update.removedNodeIds);
  for (const id of gone) nodes.delete(id);
  for (const edge of update.removedEdgeIds) edges.delete(edge.id);
  for (const [id, edge] of edges) if (gone.has(edge.from) || gone.has(edge.to)) edges.delete(id);
  add(update.addedNodes, update.addedEdges);
}

function add(newNodes, newEdges) {
  for (const node of newNodes) nodes.set(node.id, node);
  for (const edge of newEdges) edges.set(edge.id, edge);
}

function draw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    const byTask = Map.groupBy([...nodes.values()].sort(byTime), (node) => node.taskId);
    view('tasks').replaceChildren(...[...byTask].reverse().map(([task, members]) => drawTask(task, members)));
    const filtered = view('errors-only').checked;
    view('empty').hidden = nodes.size > 0 || filtered;
    view('no-match').hidden = nodes.size > 0 || !filtered;
  });
}

function drawTask(task, members) {
  const section = document.createElement('section');
  section.append(text('h2', '', `${task} (${members.length})`));
  const rows = indented(members);
  const list = document.createElement('ul');
  list.append(...rows.slice(0, MAX_ROWS_PER_TASK).map(drawNode));
  section.append(list);
  if (rows.length > MAX_ROWS_PER_TASK) {
    section.append(text('p', 'note', `and ${rows.length - MAX_ROWS_PER_TASK} more: see /api/graph`));
  }
  return section;
}

// Each node below the first that leads to it; a graph drawn as a list shows every node once.
function indented(members) {
  const held = new Map(members.map((node) => [node.id, node]));
  const children = new Map();
  const hasParent = new Set();
  for (const edge of edges.values()) {
    if (!held.has(edge.from) || !held.has(edge.to) || hasParent.has(edge.to)) continue;
    hasParent.add(edge.to);
    if (!children.has(edge.from)) children.set(edge.from, []);
    children.get(edge.from).push(held.get(edge.to));
  }
  const rows = [];
  const waiting = members.filter((node) => !hasParent.has(node.id)).map((node) => [node, 0]);
  waiting.reverse();
  while (waiting.length > 0) {
    const [node, depth] = waiting.pop();
    rows.push([node, depth]);
    const below = (children.get(node.id) || []).sort(byTime).reverse();
    for (const child of below) waiting.push([child, depth + 1]);
  }
  return rows;
}

function drawNode([node, depth]) {
  const row = document.createElement('li');
  row.className = `${node.status.toLowerCase()} ${node.state.toLowerCase()}`;
  row.style.setProperty('--depth', String(depth));
  row.append(
    text('span', 'status', node.state === 'ENDED' ? node.status : node.state),
    text('span', 'agent', node.agent),
    text('span', 'name', `${node.type === 'SUMMARY' ? '▸ ' : ''}${node.name}`),
    text('span', 'figure', node.latencyMs === undefined ? '' : latency(node.latencyMs)),
    text('span', 'figure', node.costUsd === undefined ? '' : `$${Number(node.costUsd.toPrecision(3))}`),
  );
  if (node.promptSummary) row.append(text('span', 'note', node.promptSummary));
  if (node.type === 'SUMMARY') row.append(expandButton(node));
  return row;
}

function expandButton(node) {
  const button = text('button', '', 'show');
  button.type = 'button';
  button.onclick = () => send({ type: 'expand', subscriptionId, nodeId: node.id });
  return button;
}

function latency(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function byTime(a, b) {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

function text(tag, className, content) {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = content;
  return element;
}

function say(message) {
  view('connection').textContent = message;
}

function howToSend() {
  const endpoint = `http://${location.hostname}:4318`;
  view('env').textContent =
    `OTEL_EXPORTER_OTLP_ENDPOINT=${endpoint}\nOTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf`;
  const timestamp = new Date().toISOString();
  const event = JSON.stringify({ requestId: 'hello', timestamp, text: 'My first thought', final: true });
  const header = token ? ` -H 'authorization: Bearer …'` : '';
  view('curl').textContent =
    `curl -X POST ${location.origin}/api/cot${header} \\\n  -H 'content-type: application/json' \\\n  -d '${event}'`;
}

view('errors-only').onchange = () => {
  if (subscriptionId !== undefined) send({ type: 'updateFilters', subscriptionId, filters: filters() });
};
view('token-form').onsubmit = (event) => {
  event.preventDefault();
  token = view('token').value;
  connect();
};
howToSend();
connect();
