import { useRef, useState } from 'react';
import { Popover } from 'radix-ui';
import { FILTER_NAMES, withFilter } from '../../state/filters.ts';
import { useTask } from '../../state/task-context.ts';
import { useUrl } from '../../state/url.ts';
import { useStructure } from '../../state/use-graph.ts';
import { FilterChips } from '../../widgets/filter-chips.tsx';
import { useKeys } from '../../widgets/use-keys.ts';
import { ExportMenu } from '../export/export-menu.tsx';
import { FoldedSteps } from './folded-steps.tsx';
import { TASK_VIEWS, viewOf } from './task-views.ts';
import { WaitingAgents } from './waiting-agents.tsx';

interface FilterBarProps {
  readonly onWhy: () => void;
  readonly onPalette: () => void;
}

/** Views, questions, and the subscription's filters as chips. */
export function FilterBar({ onWhy, onPalette }: FilterBarProps) {
  const { params, set } = useUrl();
  const view = viewOf(params)?.id;
  return (
    <nav className="task-tools" aria-label="Views, questions and filters">
      <span className="segments" role="group" aria-label="View">
        {TASK_VIEWS.map(({ id, label }, index) => (
          <button
            key={id}
            type="button"
            aria-pressed={id === view}
            aria-keyshortcuts={String(index + 1)}
            onClick={() => set({ view: id }, 'push')}
          >
            {label}
          </button>
        ))}
      </span>
      <WaitingAgents />
      <button type="button" className="button primary" onClick={onWhy} aria-keyshortcuts="W">
        Why?
      </button>
      <button type="button" className="button" onClick={() => set({ ask: 'summary' }, 'push')}>
        In words
      </button>
      <button type="button" className="button" onClick={onPalette} aria-keyshortcuts="Control+K">
        Ask <kbd>Ctrl K</kbd>
      </button>
      <FilterChips>
        <FoldedSteps />
        <AddFilter />
      </FilterChips>
      <ExportMenu />
      <SearchSteps />
    </nav>
  );
}

/** Text is a filter as well: the one that is typed most. */
function SearchSteps() {
  const { params, set } = useUrl();
  const input = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => input.current?.focus() });
  return (
    <input
      ref={input}
      key={params.get('text') ?? ''}
      data-testid="search"
      type="search"
      className="search small"
      placeholder="Find in this task …  ( / )"
      aria-label="Find steps by text; Enter filters"
      defaultValue={params.get('text') ?? ''}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Enter') set({ text: currentTarget.value || null }, 'push');
        if (key === 'Escape') currentTarget.blur();
      }}
    />
  );
}

function AddFilter() {
  const { params, replaceAll } = useUrl();
  const { store } = useTask();
  useStructure(store);
  const [name, setName] = useState('status');
  const [isOpen, open] = useState(false);
  const filter = FILTER_NAMES.find((one) => one.name === name);
  const agents = [...new Set([...store.nodes.values()].map(({ agent }) => agent))].sort();
  const words = name === 'agentNames' ? agents : filter?.words;
  return (
    <Popover.Root open={isOpen} onOpenChange={open}>
      <Popover.Trigger className="chip add">+ filter</Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="popover" sideOffset={6} align="start">
          <form
            className="filter-form"
            onSubmit={(event) => {
              event.preventDefault();
              const value = new FormData(event.currentTarget).get('value');
              if (typeof value !== 'string' || value === '') return;
              replaceAll(withFilter(params, { name, value }));
              open(false);
            }}
          >
            <select
              aria-label="What to filter by"
              value={name}
              onChange={({ target }) => setName(target.value)}
            >
              {FILTER_NAMES.map((one) => (
                <option key={one.name} value={one.name}>
                  {one.label}
                </option>
              ))}
            </select>
            {words && words.length > 0 ? (
              <select name="value" aria-label="Value" key={name}>
                {words.map((word) => (
                  <option key={word}>{word}</option>
                ))}
              </select>
            ) : (
              <input
                name="value"
                aria-label="Value"
                key={name}
                placeholder={filter?.kind === 'time' ? '2026-01-31T12:00:00Z' : ''}
                inputMode={filter?.kind === 'number' ? 'decimal' : 'text'}
              />
            )}
            <button type="submit" className="button primary">
              Add
            </button>
          </form>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
