/** Runs tests one after the other and says how each went. A failed one does not keep the next from running. */
export class Report {
  private group = '';
  private passed = 0;
  private failed = 0;

  start(group: string): void {
    this.group = `${group}: `;
  }

  async test(title: string, run: () => Promise<void>): Promise<void> {
    const start = performance.now();
    let problem: string | undefined;
    try {
      await run();
      this.passed++;
    } catch (error) {
      this.failed++;
      problem = error instanceof Error ? error.message : String(error);
    }
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(`${problem === undefined ? 'ok  ' : 'FAIL'} ${this.group}${title} (${seconds} s)`);
    if (problem !== undefined) console.log(`     ${problem.replaceAll('\n', '\n     ')}`);
  }

  note(text: string): void {
    console.log(`     ${text}`);
  }

  /** The last line. @returns whether nothing failed */
  end(): boolean {
    console.log(`${this.passed} passed, ${this.failed} failed`);
    return this.failed === 0;
  }
}
