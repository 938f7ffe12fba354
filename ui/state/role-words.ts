/** What the roles may do, in a few words. */
export const ROLE_WORDS: Readonly<Record<string, string>> = {
  sender: 'sends steps and thoughts',
  reader: 'sees structure, status, times and costs',
  analyst: 'reads texts, says something of steps',
  gateway: 'asks for others over several services; alone, without other roles',
  monitor: 'reads metrics and readiness of the service',
  operator: 'prunes, replays, adapts prompts, interrupts agents, approves what they ask',
  admin: 'looks behind markers, erases, makes keys',
};
