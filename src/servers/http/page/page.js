/* oxlint-disable no-unused-vars -- the four files are one script in the page: what one declares, another uses */
// The live list: one subscription over the WebSocket, the graph kept in two maps, drawn a few times a second.

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 15000;
// Fast enough to look live; a busy service changes the graph a hundred times a second.
const DRAW_EVERY_MS = 150;
const TYPING_MS = 250;

const view = (id) => document.getElementById(id);
let socket;
let subscriptionId;
let sequence = 0;
let retryMs = FIRST_RETRY_MS;
let drawTimer;
let typing;
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
  };
  socket.onmessage = (event) => receive(JSON.parse(event.data));
  socket.onclose = (event) => lost(event.reason);
}

async function lost(reason) {
  const seconds = Math.round(retryMs / 1000) || 1;
  say(`${reason || lastError || 'Connection lost'}; trying again in ${seconds} s`);
  lastError = '';
  // A browser doesn't say why an upgrade was refused; a plain request does.
  const answer = await ask('api/tasks').catch(() => null);
  if (answer && answer.status === 401) {
    view('token-form').hidden = false;
    say('This service asks for its access token');
    return;
  }
  setTimeout(connect, retryMs * (0.75 + Math.random() / 2));
  retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
}

function ask(path) {
  return fetch(path, { headers: token ? { authorization: `Bearer ${token}` } : {} });
}

function filters() {
  const text = view('text').value.trim();
  return {
    ...(view('errors-only').checked && { status: ['ERROR', 'WARNING'] }),
    ...(text !== '' && { text }),
  };
}

function isFiltered() {
  return Object.keys(filters()).length > 0;
}

// Filters go along when a subscription is taken up again: they may have been changed meanwhile.
function subscribe(resume) {
  const request = { filters: filters(), ...(resume && { subscriptionId, resumeFrom: sequence }) };
  send({ type: 'subscribe', requestId: resume ? 'resume' : 'fresh', request });
  if (resume) draw();
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
      openSummaries.clear();
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
      if (frame.requestId === 'resume') subscribe(false);
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

function draw() {
  drawTimer ??= setTimeout(() => {
    drawTimer = undefined;
    drawTasks();
  }, DRAW_EVERY_MS);
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

function filtersChanged() {
  if (subscriptionId !== undefined) send({ type: 'updateFilters', subscriptionId, filters: filters() });
  // The update may be empty, and then none comes.
  draw();
}

view('errors-only').onchange = filtersChanged;
view('text').oninput = () => {
  clearTimeout(typing);
  typing = setTimeout(filtersChanged, TYPING_MS);
};
view('filters').onsubmit = (event) => event.preventDefault();
view('token-form').onsubmit = (event) => {
  event.preventDefault();
  token = view('token').value;
  connect();
};
howToSend();
connect();
