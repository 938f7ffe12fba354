/** `critic-agent`, `critic_agent` and `CriticAgent` are one agent. */
export function canonicalAgent(name: string): string {
  return name.replace(/[-_\s]/g, '').toLowerCase();
}
