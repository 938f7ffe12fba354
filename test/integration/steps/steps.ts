/** Checks by name, one after the other: one that fails is told of and does not keep the next from running. */
export class Steps {
  private passed = 0;
  private failed = 0;

  /** @returns what the check gave, undefined when it failed */
  async step<T>(name: string, check: () => T | Promise<T>): Promise<T | undefined> {
    try {
      const result = await check();
      this.passed++;
      console.log(`✓ ${name}`);
      return result;
    } catch (error) {
      this.failed++;
      console.log(`✗ ${name}\n  ${messageOf(error).replaceAll('\n', '\n  ')}`);
      return undefined;
    }
  }

  get hasFailed(): boolean {
    return this.failed > 0;
  }

  /** The closing line, and the exit code. */
  finish(): void {
    console.log(`\n${this.passed} passed, ${this.failed} failed`);
    if (this.failed > 0) process.exitCode = 1;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
