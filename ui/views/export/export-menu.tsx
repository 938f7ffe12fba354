import { useState } from 'react';
import { Popover } from 'radix-ui';
import { useTask } from '../../state/task-context.ts';
import { CopyButton } from '../../widgets/copy-button.tsx';
import type { ExportFormat } from './exports.ts';

const FORMATS: readonly (readonly [ExportFormat, string])[] = [
  ['png', 'Picture (PNG)'],
  ['svg', 'Picture (SVG)'],
  ['json', 'Graph (JSON)'],
  ['mmd', 'Graph (Mermaid)'],
];

/** What is shown, as files. The code that makes them is loaded with the first of them. */
export function ExportMenu() {
  const task = useTask();
  const [isOpen, open] = useState(false);
  const [problem, say] = useState<string>();
  const save = async (format: ExportFormat): Promise<void> => {
    try {
      const { saveAs } = await import('./exports.ts');
      await saveAs(format, task);
      open(false);
    } catch (error) {
      say(error instanceof Error ? error.message : 'it could not be made');
    }
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={open}>
      <Popover.Trigger className="button">Export</Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="popover export-menu" sideOffset={6} align="end" aria-label="Export">
          {FORMATS.map(([format, label]) => (
            <button key={format} type="button" className="button" onClick={() => void save(format)}>
              {label}
            </button>
          ))}
          <CopyButton label="Copy link" text={() => location.href} />
          {problem !== undefined && <p role="alert">{problem}</p>}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
