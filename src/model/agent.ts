/** `critic-agent`, `critic_agent` and `CriticAgent` are one agent. */
export function canonicalAgent(name: string): string {
  return name.replace(/[-_\s]/g, '').toLowerCase();
}

/** The founding spec's agent of a chain of thought that names none (4.1.3). */
export const DEFAULT_AGENT = 'ModelAdapter';

/** The agent of an AG-UI run of which nobody says whose it is. */
export const DEFAULT_AG_UI_AGENT = 'AG-UI agent';

const KEBAB_OR_SNAKE = /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/;

/** `critic-agent` and `critic_agent` are the agent `CriticAgent`; a name in any other spelling stays. */
export function agentOfComponent(component: string): string {
  if (!KEBAB_OR_SNAKE.test(component)) return component;
  return component
    .split(/[-_]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
