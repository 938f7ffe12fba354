/* oxlint-disable no-unused-vars -- the four files are one script in the page: what one declares, another uses */
// What a click on a row shows.

const MAX_TEXT_CHARS = 20000;
// The parts of a step's text as GET /api/nodes/{id} names them.
const TEXTS = {
  reasoning: 'Chain of thought',
  prompt: 'Prompt',
  completion: 'Answer',
  toolArguments: 'Tool arguments',
  toolResult: 'Tool result',
  error: 'Error',
};

// What the user opened: nodes whose texts are shown, and summaries (by id, with their task) shown in full.
const openNodes = new Set();
const openSummaries = new Map();

function unfold(node) {
  openSummaries.set(node.id, node.taskId);
  send({ type: 'expand', subscriptionId, nodeId: node.id });
}

function toggle(id) {
  const { element } = rows.get(id);
  if (openNodes.delete(id)) {
    element.classList.remove('open');
    element.querySelector('.more')?.remove();
    return;
  }
  openNodes.add(id);
  element.classList.add('open');
  void showMore(id);
}

// The causes are here already; the full texts are fetched, as they are not part of the graph.
async function showMore(id) {
  const { node, element } = rows.get(id);
  const more = make('div', 'more');
  more.append(causes(node), list({ started: node.timestamp, node: id, ...node.details }));
  try {
    const answer = await ask(`api/nodes/${encodeURIComponent(id)}`);
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const { texts } = await answer.json();
    for (const [key, title] of Object.entries(TEXTS)) {
      if (texts?.[key]) more.append(make('h3', '', title), make('pre', '', cut(texts[key])));
    }
  } catch {
    more.append(make('p', 'faint', 'The texts of this step could not be fetched.'));
  }
  // Closed again, or drawn anew, while the answer was on its way.
  if (!openNodes.has(id) || rows.get(id)?.element !== element) return;
  element.querySelector('.more')?.remove();
  element.append(more);
}

function causes(node) {
  const found = [...edges.values()].filter((edge) => edge.to === node.id && nodes.has(edge.from));
  return list(
    Object.fromEntries(
      found.map((edge, i) => [
        i === 0 ? 'led to by' : `led to by (${i + 1})`,
        `${nodes.get(edge.from).name} · ${edge.relation} · evidence: ${edge.evidence}${edge.bridged ? ' · hidden steps between' : ''}`,
      ]),
    ),
  );
}

function list(fields) {
  const element = make('dl', '');
  for (const [key, value] of Object.entries(fields)) {
    const content = typeof value === 'string' ? value : JSON.stringify(value);
    element.append(make('dt', '', key), make('dd', '', cut(content)));
  }
  return element;
}

function cut(content) {
  if (content.length <= MAX_TEXT_CHARS) return content;
  return `${content.slice(0, MAX_TEXT_CHARS)} … (${content.length} characters in all)`;
}
