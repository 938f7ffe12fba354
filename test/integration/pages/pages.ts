/** A page whose output is made, and what that takes. */
export interface Page {
  readonly file: string;
  /** `nothing`: what a clone has; `build`: that and `dist`; `npm`, `python`: packages from a registry. */
  readonly needs: 'nothing' | 'build' | 'npm' | 'python';
  /** Pages before it that send what it shows; they are played with it. */
  readonly follows?: readonly string[];
}

/** In the order in which they are played. */
export const PAGES: readonly Page[] = [
  { file: 'README.md', needs: 'nothing' },
  { file: 'docs/how-to/send-otel-js.md', needs: 'nothing' },
  { file: 'docs/how-to/send-chain-of-thought.md', needs: 'nothing' },
  { file: 'docs/how-to/send-reflexion-events.md', needs: 'nothing' },
  { file: 'docs/how-to/ag-ui.md', needs: 'nothing' },
  { file: 'docs/how-to/thoughtflow.md', needs: 'nothing' },
  { file: 'docs/how-to/mew.md', needs: 'nothing' },
  {
    file: 'docs/how-to/read-curl-and-grpcurl.md',
    needs: 'nothing',
    follows: ['docs/how-to/send-chain-of-thought.md', 'docs/how-to/send-reflexion-events.md'],
  },
  { file: 'docs/how-to/ask-why.md', needs: 'nothing' },
  { file: 'docs/how-to/ask-over-mcp.md', needs: 'nothing', follows: ['docs/how-to/ask-why.md'] },
  { file: 'docs/how-to/adaptations.md', needs: 'nothing' },
  { file: 'docs/how-to/read-metrics.md', needs: 'nothing' },
  { file: 'docs/how-to/live-spans.md', needs: 'build' },
  { file: 'docs/how-to/read-typescript.md', needs: 'build' },
  { file: 'docs/how-to/inside-a-program.md', needs: 'build' },
  { file: 'docs/how-to/metrics.md', needs: 'npm' },
  { file: 'docs/how-to/send-vercel-ai-sdk.md', needs: 'npm' },
  { file: 'docs/how-to/send-openai-js.md', needs: 'npm' },
  { file: 'docs/how-to/send-openai-python.md', needs: 'python' },
  { file: 'docs/how-to/send-langchain.md', needs: 'python' },
  { file: 'docs/how-to/send-otel-python.md', needs: 'python' },
  { file: 'docs/how-to/send-anthropic.md', needs: 'python' },
  { file: 'docs/how-to/send-thoughts-by-sdk.md', needs: 'python' },
  { file: 'docs/how-to/read-python.md', needs: 'python' },
];
