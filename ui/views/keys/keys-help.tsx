import { Dialog } from 'radix-ui';
import { Fragment } from 'react';
import '../palette/palette.css';
import './keys.css';

const KEYS: readonly (readonly [where: string, keys: readonly (readonly [keys: string, what: string])[]])[] =
  [
    [
      'Everywhere',
      [
        ['Ctrl K', 'ask, or go to'],
        ['/', 'search'],
        ['Esc', 'close the panel, then the answer'],
        ['?', 'these keys'],
      ],
    ],
    [
      'Runs',
      [
        ['↑ ↓ j k PageUp PageDown', 'from run to run'],
        ['Enter', 'open'],
        ['c', 'compare: choose one, then another'],
      ],
    ],
    [
      'A run',
      [
        ['1 2 3 4', 'graph, waterfall, talk, table'],
        ['w', 'why? Of the step that is chosen, else of the failure'],
        ['e', 'next failure'],
        ['Enter', 'show a step in the panel'],
        ['o', 'open a summary; close the one that a step came out of'],
      ],
    ],
    [
      'Graph',
      [
        ['← → h l', 'along the arrows, or the lane'],
        ['↑ ↓ j k', 'from lane to lane'],
        ['f', 'follow what is new'],
        ['0 + −', 'all of it, nearer, further'],
        ['t z', 'tidy, and undo it'],
      ],
    ],
    [
      'Two runs',
      [
        ['n p', 'next and previous divergence'],
        ['x', 'change the sides'],
      ],
    ],
  ];

/** All keys of the page. */
export default function KeysHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="palette keys" data-testid="keys" aria-describedby={undefined}>
          <Dialog.Title>Keys</Dialog.Title>
          {KEYS.map(([where, keys]) => (
            <section key={where}>
              <h3>{where}</h3>
              <dl>
                {keys.map(([names, what]) => (
                  <Fragment key={what}>
                    <dt>
                      {names.split(' ').map((name) => (
                        <kbd key={name}>{name}</kbd>
                      ))}
                    </dt>
                    <dd>{what}</dd>
                  </Fragment>
                ))}
              </dl>
            </section>
          ))}
          <Dialog.Close className="button">Close</Dialog.Close>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
