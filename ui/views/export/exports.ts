import { byStart } from '../../state/node-times.ts';
import type { TaskContext } from '../../state/task-context.ts';
import { graphSvg } from './graph-svg.ts';
import type { Picture } from './graph-svg.ts';
import { toMermaid } from '../../../src/exporters/mermaid.ts';

export type ExportFormat = 'svg' | 'png' | 'json' | 'mmd';

/** Screens of today have two dots a pixel. */
const SHARP = 2;
/** More than these browsers do not draw on one canvas. */
const MAX_SIDE = 16_000;
const MAX_AREA = 100_000_000;

/** Saves what a task shows (its filters, its opened summaries, its places) as a file. @throws Error when the browser cannot */
export async function saveAs(format: ExportFormat, task: TaskContext): Promise<void> {
  const name = task.taskId.replace(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, 80);
  const url = URL.createObjectURL(await contentOf(format, task));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name}.${format}`;
  link.click();
  // Not at once: the browser reads it after this turn.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

async function contentOf(format: ExportFormat, task: TaskContext): Promise<Blob> {
  switch (format) {
    case 'svg':
      return new Blob([graphSvg(task).svg], { type: 'image/svg+xml' });
    case 'png':
      return pngOf(graphSvg(task));
    case 'mmd':
      return new Blob([...toMermaid(graphOf(task))], { type: 'text/vnd.mermaid' });
    case 'json':
      return new Blob([JSON.stringify(graphOf(task), null, 2)], { type: 'application/json' });
  }
}

function graphOf({ store, live }: TaskContext) {
  const nodes = [...store.nodes.values()].sort(byStart);
  return { nodes, edges: [...store.edges.values()], lastUpdated: live.lastUpdated };
}

async function pngOf({ svg, width, height }: Picture): Promise<Blob> {
  const scale = Math.min(SHARP, MAX_SIDE / width, MAX_SIDE / height, Math.sqrt(MAX_AREA / width / height));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
  if (!blob) throw new Error('the browser could not draw so large a picture: take the SVG');
  return blob;
}
