import { Component } from 'react';
import type { ReactNode } from 'react';

interface State {
  readonly error: Error | undefined;
}

/** Says what broke, in place of an empty page. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { error: undefined };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <main className="notice" role="alert">
        <h1>This part of the page broke</h1>
        <p>{error.message}</p>
        <p>The service and what it holds are not touched by it.</p>
        <button type="button" className="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </main>
    );
  }
}
