import { spawn } from 'node:child_process';
import { text as textOf } from 'node:stream/consumers';
import { run } from '../steps/child.ts';

/**
 * Graphviz itself, of the machine or of Debian's package. Its builds for WebAssembly do not serve as judges: they fail
 * ("table index is out of bounds") on texts that the program draws.
 * @returns what is missing, as text, when it cannot be had
 */
export async function findGraphviz(): Promise<string | undefined> {
  if (await isThere()) return undefined;
  const install = () => run('apt-get', ['install', '-y', '--no-install-recommends', 'graphviz']);
  // A new machine has no lists of packages yet.
  if ((await install()).code !== 0 && (await run('apt-get', ['update'])).code === 0) await install();
  if (await isThere()) return undefined;
  return "no dot in PATH, and apt-get cannot install Debian's package graphviz";
}

async function isThere(): Promise<boolean> {
  return (await run('dot', ['-V'])).code === 0;
}

/** @throws Error with what Graphviz says, warnings too: a graph that it has to guess at is not right */
export async function drawSvg(graph: string): Promise<string> {
  const dot = spawn('dot', ['-Tsvg'], { stdio: ['pipe', 'pipe', 'pipe'] });
  dot.stdin.end(graph);
  const ended = new Promise<number | null>((resolve, reject) => {
    dot.once('error', reject);
    dot.once('close', resolve);
  });
  const [svg, said, code] = await Promise.all([textOf(dot.stdout), textOf(dot.stderr), ended]);
  if (code !== 0 || said !== '') throw new Error(`Graphviz: ${said} (exit code ${code})`);
  return svg;
}
