import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { App } from './app.tsx';
import { BASE } from './state/root.ts';
import { beginSession } from './connection/session.ts';
import { registerShell } from './connection/shell.ts';
import { useTheme } from './state/theme.ts';
import './styles/tokens.css';
import './styles/base.css';

// Dialogs put a style element into the page, which the policy lets through by this.
setNonce(document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? '');
useTheme.getState();
const queries = new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: 1_000 } } });
const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <QueryClientProvider client={queries}>
      <Router base={BASE}>
        <App />
      </Router>
    </QueryClientProvider>,
  );
void beginSession();
// A page that the browser kept shows what its session saw, which may be over.
addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
registerShell();
