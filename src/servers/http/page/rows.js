/* oxlint-disable no-unused-vars -- the four files are one script in the page: what one declares, another uses */
// Tasks and their nodes as rows.

// What a browser lays out without stalling; the rest is counted.
const MAX_ROWS_PER_TASK = 500;
const MAX_TASKS = 60;

// Elements by id: an unchanged node keeps its element, and with it selection, focus and scroll position.
let rows = new Map();
let sections = new Map();

function drawTasks() {
  const byTask = [...Map.groupBy([...nodes.values()].sort(byTime), (node) => node.taskId)].reverse();
  const before = { rows, sections };
  rows = new Map();
  sections = new Map();
  const shown = byTask.slice(0, MAX_TASKS).map(([task, members]) => drawTask(task, members, before));
  setChildren(view('tasks'), shown);
  view('older').hidden = byTask.length <= MAX_TASKS;
  view('older').textContent = `and ${byTask.length - MAX_TASKS} older tasks: see /api/tasks`;
  view('empty').hidden = nodes.size > 0 || isFiltered();
  view('no-match').hidden = nodes.size > 0 || !isFiltered();
  if (socket.readyState === WebSocket.OPEN)
    say(`Live: ${count(byTask.length, 'task')}, ${count(nodes.size, 'node')}`);
}

function drawTask(task, members, before) {
  const section = before.sections.get(task) ?? newSection(task);
  sections.set(task, section);
  const [head, list, rest] = section.children;
  const [, figures, fold] = head.children;
  figures.textContent = taskFigures(members);
  fold.hidden = ![...openSummaries.values()].includes(task);
  const placed = inTree(members);
  setChildren(
    list,
    placed.slice(0, MAX_ROWS_PER_TASK).map((place) => drawNode(place, before.rows)),
  );
  rest.hidden = placed.length <= MAX_ROWS_PER_TASK;
  rest.textContent = `and ${placed.length - MAX_ROWS_PER_TASK} more: see /api/graph`;
  return section;
}

function newSection(task) {
  const section = make('details', 'task');
  section.open = true;
  const head = make('summary', '');
  const fold = make('button', 'fold', 'fold again');
  fold.type = 'button';
  fold.onclick = (event) => {
    event.preventDefault();
    for (const [id, of] of openSummaries) {
      if (of !== task) continue;
      openSummaries.delete(id);
      send({ type: 'collapse', subscriptionId, nodeId: id });
    }
  };
  head.append(make('h2', '', task), make('span', 'faint'), fold);
  section.append(head, make('ul', ''), make('p', 'faint'));
  return section;
}

// Tokens of LLM calls only: agents and steps often repeat the sum of what is below them.
function taskFigures(members) {
  const calls = members
    .filter((node) => node.type === 'LLM_CALL')
    .concat(members.map((n) => n.summary ?? {}));
  const sum = (pick) => calls.reduce((total, node) => total + (pick(node) ?? 0), 0);
  const tokens = sum((node) => node.tokensIn) + sum((node) => node.tokensOut);
  const cost = sum((node) => node.costUsd ?? node.totalCostUsd);
  const errors = members.filter((node) => node.status === 'ERROR').length;
  const start = new Date(members[0].timestamp).toLocaleString();
  return [
    start,
    count(members.length, 'node'),
    errors > 0 ? count(errors, 'error') : '',
    tokens > 0 ? `${tokens.toLocaleString()} tokens` : '',
    cost > 0 ? money(cost) : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

function drawNode(place, before) {
  const { node, depth, relation } = place;
  const held = before.get(node.id);
  if (held && held.node === node && held.depth === depth && held.relation === relation) {
    rows.set(node.id, held);
    return held.element;
  }
  const element = make('li', rowClass(node));
  const row = make('button', 'row');
  row.type = 'button';
  row.style.setProperty('--depth', String(depth));
  row.append(describe(node, relation), make('span', 'type', node.type), ...figures(node));
  row.onclick = () => (node.type === 'SUMMARY' ? unfold(node) : toggle(node.id));
  element.append(row);
  rows.set(node.id, { node, depth, relation, element });
  if (openNodes.has(node.id)) {
    // The old texts stay in sight until the new ones are there.
    const old = held?.element.querySelector('.more');
    if (old) element.append(old);
    void showMore(node.id);
  }
  return element;
}

function rowClass(node) {
  const classes = [];
  if (node.status === 'ERROR') classes.push('failed');
  if (node.type === 'SUMMARY') classes.push('folded');
  if (openNodes.has(node.id)) classes.push('open');
  return classes.join(' ');
}

function describe(node, relation) {
  const what = make('span', 'what');
  const label = node.state === 'ENDED' ? node.status : node.state;
  const who = [relation && relation.toLowerCase().replace('_', ' '), node.agent, node.model];
  what.append(
    make('span', `status ${label.toLowerCase()}`, label),
    make('span', 'name', node.type === 'SUMMARY' ? `▸ ${node.name}` : node.name),
    make('span', 'who', `  ${who.filter(Boolean).join(' · ')}`),
  );
  const failure = node.details?.errorMessage;
  if (typeof failure === 'string') what.append(make('div', 'error failure', failure));
  else if (node.promptSummary) what.append(make('div', 'note', node.promptSummary));
  return what;
}

function figures(node) {
  const { summary } = node;
  const tokensIn = summary?.tokensIn ?? node.tokensIn;
  const tokensOut = summary?.tokensOut ?? node.tokensOut;
  const cost = summary?.totalCostUsd ?? node.costUsd;
  const known = tokensIn !== undefined || tokensOut !== undefined;
  return [
    known ? `${tokensIn ?? '?'} → ${tokensOut ?? '?'} tok` : '',
    node.latencyMs === undefined ? '' : latency(node.latencyMs),
    cost === undefined ? '' : money(cost),
  ].map((content) => make('span', 'figure', content));
}

function setChildren(parent, wanted) {
  const keep = new Set(wanted);
  for (const child of Array.from(parent.children)) if (!keep.has(child)) child.remove();
  let at = parent.firstElementChild;
  for (const child of wanted) {
    if (child === at) at = at.nextElementSibling;
    else parent.insertBefore(child, at);
  }
}

function count(number, word) {
  return `${number.toLocaleString()} ${word}${number === 1 ? '' : 's'}`;
}

function money(usd) {
  return `$${Number(usd.toPrecision(3))}`;
}

function latency(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function make(tag, className, content = '') {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = content;
  return element;
}
