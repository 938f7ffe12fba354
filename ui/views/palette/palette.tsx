import { Command } from 'cmdk';
import type { ReactNode } from 'react';
import './palette.css';

interface PaletteProps {
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Questions and places by typing. */
export function Palette({ onClose, children }: PaletteProps) {
  return (
    <Command.Dialog
      open
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      label="Ask, or go to"
      overlayClassName="overlay"
      contentClassName="palette"
      data-testid="palette"
    >
      <Command.Input placeholder="Why did this fail?  Cost spikes …" />
      <Command.List>
        <Command.Empty>Nothing is called so.</Command.Empty>
        {children}
      </Command.List>
    </Command.Dialog>
  );
}

interface ItemProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly onRun: () => void;
}

export function PaletteItem({ id, label, hint, onRun }: ItemProps) {
  return (
    <Command.Item value={`${label} ${id}`} onSelect={onRun}>
      <span dir="auto">{label}</span>
      {hint !== undefined && <span className="muted">{hint}</span>}
    </Command.Item>
  );
}
