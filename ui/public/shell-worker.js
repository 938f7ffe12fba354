// Keeps the page's own files, and nothing of what it shows: hashed files as they are, the document from the network
// first, since its policy changes with every answer. Requests for data are not touched.
const CACHE = 'shell-1';
const DOCUMENTS = new Set(['', 'compare', 'login', 'patterns']);

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  const root = new URL('./', self.location.href);
  if (request.method !== 'GET' || url.origin !== root.origin) return;
  const path = url.pathname.slice(root.pathname.length);
  if (path.startsWith('assets/')) event.respondWith(fromCache(request));
  else if (request.mode === 'navigate' && (DOCUMENTS.has(path) || path.startsWith('t/')))
    event.respondWith(fromNetwork(request, path.startsWith('t/') ? 't/' : ''));
});

async function fromCache(request) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) await cache.put(request, answer.clone());
  return answer;
}

// One document for each depth of path: their references differ by it.
async function fromNetwork(request, key) {
  const cache = await caches.open(CACHE);
  const kept = new URL(`./shell/${key}`, self.location.href).href;
  try {
    const answer = await fetch(request);
    if (answer.ok) {
      await keepOnlyBuildOf(cache, await answer.clone().text());
      await cache.put(kept, answer.clone());
    }
    return answer;
  } catch (error) {
    const last = await cache.match(kept);
    if (last) return last;
    throw error;
  }
}

// Names of assets change with what is in them: a document that names one that is not kept is of another build than all
// that is, and so are the parts that its scripts load later.
async function keepOnlyBuildOf(cache, document) {
  const root = new URL('./', self.location.href);
  const named = [...document.matchAll(/assets\/[^"']+/g)].map(([path]) => new URL(path, root).href);
  const kept = await Promise.all(named.map((url) => cache.match(url)));
  if (kept.every(Boolean)) return;
  for (const request of await cache.keys()) await cache.delete(request);
  // The browser may have them at hand, and not ask here.
  await cache.addAll(named).catch(() => undefined);
}
