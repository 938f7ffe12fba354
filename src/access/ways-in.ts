import { allows, ROLES, type Need, type Role } from './roles.ts';

/** One way in, and what it needs. */
export interface WayIn {
  readonly over: 'HTTP' | 'WebSocket' | 'gRPC' | 'OTLP' | 'MCP';
  /** Method and path, verb, method or tool. */
  readonly name: string;
  readonly needs: Need;
}

export function mayCome({ needs }: WayIn, role: Role): boolean {
  return needs === 'nothing' || allows([role], needs);
}

/** The page about who may what, in Markdown. */
export function accessPage(ways: readonly WayIn[]): string {
  const lines = [
    '# Who may what',
    '',
    'Every way in, the right that it needs, and the roles that have it. Made from the code by `npm run access:write`; each cell is',
    'tried by a test. What the rights and roles mean: [keys](how-to/secure.md#keys). Who has `see` and not `read` is given no texts.',
    '`monitor` tells of all projects together: it holds for those of the project `default` alone.',
  ];
  for (const over of new Set(ways.map((way) => way.over))) {
    lines.push(
      '',
      `## ${over}`,
      '',
      `| | needs | ${ROLES.join(' | ')} |`,
      `| --- | --- |${' --- |'.repeat(ROLES.length)}`,
    );
    for (const way of ways.filter((one) => one.over === over)) {
      const cells = ROLES.map((role) => (mayCome(way, role) ? 'yes' : ''));
      lines.push(`| \`${way.name}\` | ${way.needs} | ${cells.join(' | ')} |`);
    }
  }
  return `${lines.join('\n')}\n`;
}
