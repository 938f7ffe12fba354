import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ExportFormat } from '../../../src/exporters/export-graph.ts';
import { drawSvg, findGraphviz } from './graphviz.ts';

/** What a library found in an export. */
export interface Drawn {
  readonly nodes: number;
  readonly edges: number;
  /** Containers, where the language has them. */
  readonly frames?: number;
  /** Of the nodes in their order, as they are shown. */
  readonly labels?: readonly string[];
}

export interface Libraries {
  /** The text of a diagram, or JSON. Each throws what its library throws. */
  readonly loads: Readonly<Partial<Record<ExportFormat, (exported: never) => Drawn | Promise<Drawn>>>>;
  close(): Promise<void>;
}

/** What is used of the libraries, which are not installed where types are checked. */
interface D2 {
  compile(text: string, options: { readonly layout: 'dagre' }): Promise<{ readonly diagram: D2Diagram }>;
  readonly worker: { terminate(): Promise<unknown> };
}
interface D2Diagram {
  readonly shapes: readonly { readonly id: string; readonly label: string }[];
  readonly connections: readonly object[];
}
/** An element of a page. */
interface Shape {
  readonly textContent: string;
  querySelector(selector: string): Shape | null;
  querySelectorAll(selector: string): Iterable<Shape> & { readonly length: number };
}
interface Page {
  readonly document: Shape;
  close(): void;
}
interface Mermaid {
  initialize(settings: object): void;
  readonly mermaidAPI: { getDiagramFromText(text: string): Promise<{ readonly db: MermaidFlow }> };
}
interface MermaidFlow {
  getVertices(): ReadonlyMap<string, { readonly text: string }>;
  getEdges(): readonly object[];
  getSubGraphs(): readonly object[];
}
interface Cytoscape {
  nodes(): { readonly length: number };
  edges(): { readonly length: number };
}
interface Force {
  readonly forceSimulation: (nodes: readonly object[]) => {
    force(name: string, force: object): { stop(): void };
  };
  readonly forceLink: (links: readonly object[]) => { id(of: (node: { id: string }) => string): object };
}

/** @param modules the folder in which the libraries are installed */
export async function openLibraries(modules: string): Promise<Libraries> {
  const { resolve } = createRequire(`${modules}/`);
  const load = async (name: string): Promise<unknown> => import(pathToFileURL(resolve(name)).href);
  // Before there is a window, by which it knows a browser; what `require` finds is no CommonJS to Node.
  const d2Module = pathToFileURL(join(modules, '@terrastruct/d2/dist/node-esm/index.js')).href;
  const d2 = new ((await import(d2Module)) as { D2: new () => D2 }).D2();
  await d2.compile('', { layout: 'dagre' });
  const missing = await findGraphviz();
  if (missing !== undefined) throw new Error(missing);
  const { JSDOM } = (await load('jsdom')) as {
    JSDOM: new (page?: string) => { readonly window: Page };
  };
  const { window } = new JSDOM();
  // Mermaid cleans texts by a library that wants a page.
  Object.assign(globalThis, { window, document: window.document });
  const mermaid = ((await load('mermaid')) as { default: Mermaid }).default;
  mermaid.initialize({ maxTextSize: 10_000_000, maxEdges: 100_000 });
  const cytoscape = ((await load('cytoscape')) as { default: (options: object) => Cytoscape }).default;
  const { forceSimulation, forceLink } = (await load('d3-force')) as Force;
  return {
    loads: {
      d2: async (text: string) => {
        const { shapes, connections } = (await d2.compile(text, { layout: 'dagre' })).diagram;
        const steps = shapes.filter(({ id }) => id.includes('.'));
        const labels = steps.toSorted((a, b) => numberOf(a.id) - numberOf(b.id)).map(({ label }) => label);
        return {
          nodes: steps.length,
          edges: connections.length,
          frames: shapes.length - steps.length,
          labels,
        };
      },
      dot: async (text: string) => {
        const { document: page } = new JSDOM(await drawSvg(text)).window;
        const count = (kind: string): number => page.querySelectorAll(`g.${kind}`).length;
        const steps = [...page.querySelectorAll('g.node')].toSorted(
          (a, b) => numberOf(titleOf(a)) - numberOf(titleOf(b)),
        );
        return {
          nodes: steps.length,
          edges: count('edge'),
          frames: count('cluster'),
          labels: steps.map(textOf),
        };
      },
      mermaid: async (text: string) => {
        const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
        const steps = [...db.getVertices()].toSorted(([a], [b]) => numberOf(a) - numberOf(b));
        const labels = steps.map(([, { text: shown }]) => decoded(shown));
        return { nodes: steps.length, edges: db.getEdges().length, frames: db.getSubGraphs().length, labels };
      },
      cytoscape: (graph: object) => {
        const loaded = cytoscape({ headless: true, ...graph });
        return { nodes: loaded.nodes().length, edges: loaded.edges().length };
      },
      d3: ({ nodes, links }: { nodes: readonly object[]; links: readonly object[] }) => {
        forceSimulation(nodes)
          .force(
            'link',
            forceLink(links).id(({ id }) => id),
          )
          .stop();
        const joined = links as readonly { readonly source: object; readonly target: object }[];
        const known = new Set(nodes);
        return {
          nodes: known.size,
          edges: joined.filter(({ source, target }) => known.has(source) && known.has(target)).length,
        };
      },
    },
    close: async () => {
      await d2.worker.terminate();
      window.close();
    },
  };
}

/** `run_1.n12` is 12. */
function numberOf(name: string): number {
  return Number(/\d+$/.exec(name)?.[0]);
}

function titleOf(shape: Shape): string {
  return shape.querySelector('title')?.textContent ?? '';
}

function textOf(shape: Shape): string {
  return [...shape.querySelectorAll('text')].map(({ textContent }) => textContent).join(' ');
}

/** Mermaid keeps `#35;` as `ﬂ°°35¶ß` until it draws. */
function decoded(text: string): string {
  return text.replace('<br>', ' ').replace(/ﬂ°°(\d+)¶ß/g, (_, code) => String.fromCodePoint(Number(code)));
}
