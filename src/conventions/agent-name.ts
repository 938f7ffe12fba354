const KEBAB_OR_SNAKE = /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/;

/** `critic-agent` and `critic_agent` are the agent `CriticAgent`; a name in any other spelling stays. */
export function agentOfComponent(component: string): string {
  if (!KEBAB_OR_SNAKE.test(component)) return component;
  return component
    .split(/[-_]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
