import { appendFileSync } from 'node:fs';
import type { TestContext } from 'node:test';

/** What one run of a property tells, as a line of JSON in the file that `SITUATIONS` names. */
export interface SituationsTold {
  readonly test: string;
  readonly cases: number;
  /** In how many cases it came to each situation. */
  readonly seen: Readonly<Record<string, number>>;
}

/**
 * In how many cases of a property each situation came up: a property says nothing of a case in which nothing happened.
 * Which situations a run comes to is luck, so a run only tells; `npm run test:properties` adds up thousands of cases
 * and demands each.
 */
export class Situations<Name extends string> {
  private readonly seen: Record<Name, number>;
  private readonly ofCase = new Set<Name>();
  private cases = 0;

  constructor(...names: readonly Name[]) {
    this.seen = Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
  }

  nextCase(): void {
    this.cases += 1;
    this.ofCase.clear();
  }

  /** @param times not at all where 0 */
  saw(name: Name, times = 1): void {
    if (times === 0 || this.ofCase.has(name)) return;
    this.ofCase.add(name);
    this.seen[name] += 1;
  }

  tell(t: Pick<TestContext, 'name' | 'diagnostic'>, where = ''): void {
    const counts = Object.entries(this.seen).map(([name, count]) => `${name} ${String(count)}`);
    t.diagnostic(`of ${this.cases} cases: ${counts.join(', ')}`);
    const told: SituationsTold = { test: `${t.name}${where}`, cases: this.cases, seen: this.seen };
    const file = process.env['SITUATIONS'];
    if (file !== undefined) appendFileSync(file, `${JSON.stringify(told)}\n`);
  }
}
