import { Command, defaultFilter } from 'cmdk';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { ClientError } from '../../../src/client/browser.ts';
import { exampleQuestions, parseQuestion } from '../../../src/model/question.ts';
import { placeOf } from '../../connection/place-of.ts';
import { useClient } from '../../connection/session.ts';
import { taskPath, useUrl } from '../../state/url.ts';
import './palette.css';

interface PaletteProps {
  /** The task that is shown. */
  readonly taskId?: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** What was typed, as one question: it stands before all that is only called so. */
const TYPED = 'typed question';

/** Questions and places by typing. */
export function Palette({ taskId, onClose, children }: PaletteProps) {
  const [typed, type] = useState('');
  const [said, say] = useState<string>();
  const client = useClient();
  const { set } = useUrl();
  const [, navigate] = useLocation();
  const question = parseQuestion(typed);
  const ask = async (): Promise<void> => {
    if (!question) return;
    try {
      const place = await placeOf(question, client, taskId);
      if (typeof place === 'string') {
        say(place);
        return;
      }
      onClose();
      const { params } = place;
      if (place.path !== undefined) {
        navigate(place.path);
        return;
      }
      // What is shown of the task besides stays as it is.
      if (place.taskId === taskId) set({ ask: null, why: null, minutes: null, ...params }, 'push');
      else if (place.taskId !== undefined) navigate(taskPath(place.taskId, params));
    } catch (error) {
      say(ClientError.from(error).message);
    }
  };
  const change = (text: string): void => {
    type(text);
    say(undefined);
  };
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
      filter={(value, search, keywords) =>
        value === TYPED ? 1 : Math.min(0.99, defaultFilter(value, search, keywords))
      }
    >
      <Command.Input placeholder="Why did this fail?  Cost spikes …" value={typed} onValueChange={change} />
      {said !== undefined && (
        <p className="palette-said" role="status">
          {said}
        </p>
      )}
      <Command.List>
        {question && (
          <Command.Group heading="Ask">
            <Command.Item value={TYPED} onSelect={() => void ask()}>
              <span dir="auto">{typed.trim()}</span>
              <span className="muted">{ASKED[question.ask]}</span>
            </Command.Item>
          </Command.Group>
        )}
        <Command.Empty>
          Nothing is called so, and it is no question that is understood. These are, in these and other words:
          <span className="palette-questions">
            {exampleQuestions(taskId === undefined ? 'the latest run' : 'this run').map((one) => (
              <button key={one} type="button" className="button" onClick={() => change(one)}>
                {one}
              </button>
            ))}
          </span>
        </Command.Empty>
        {children}
      </Command.List>
    </Command.Dialog>
  );
}

const ASKED = {
  why: 'why?',
  patterns: 'patterns over runs',
  spikes: 'spikes',
  prune: 'prune',
  expand: 'every step',
  summary: 'in words',
} as const;

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
