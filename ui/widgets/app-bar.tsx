import type { ReactNode } from 'react';
import { ConnectionState } from './connection-state.tsx';
import { ThemeSwitch } from './theme-switch.tsx';
import { Who } from './who.tsx';

/** The line at the top of every page. */
export function AppBar({ children }: { readonly children: ReactNode }) {
  return (
    <header className="app-bar">
      {children}
      <span className="grow" />
      <ConnectionState />
      <Who />
      <ThemeSwitch />
    </header>
  );
}
