import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Child } from '../steps/child.ts';
import { FREE_PORTS, serve, type Served } from '../steps/serve.ts';
import { ExportedSpans } from './exported-spans.ts';
import { startFakes, type FakeServers } from './fake-servers.ts';
import { OtlpRecorder } from './otlp-recorder.ts';

const MAIN = resolve(import.meta.dirname, '../../../src/main.ts');
/** A program loads its packages and does a handful of calls. */
const RUN_LIMIT_MS = 60_000;

/** A service, fake providers of models, and programs that use them: each in a process of its own. */
export class Stage {
  private readonly folder: string;
  private readonly service: Served;
  private readonly fakes: FakeServers;
  private program: Child | undefined;

  private constructor(folder: string, service: Served, fakes: FakeServers) {
    this.folder = folder;
    this.service = service;
    this.fakes = fakes;
    process.once('exit', this.clearAway);
  }

  static async start(): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), 'test-sdks-'));
    const args = [MAIN, 'serve', ...FREE_PORTS, '--data-dir', join(folder, 'data')];
    const env = { PATH: process.env['PATH'], HOME: folder };
    try {
      return new Stage(folder, await serve(process.execPath, args, { env }), await startFakes());
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Host and port of the API. */
  get readers(): string {
    return this.service.readers;
  }

  /**
   * Runs a program of a folder as a user would: in an application folder with the packages beside it.
   * @param modules the `node_modules` with its packages
   * @returns what it exported, all of which the service took
   */
  async run(sources: string, program: string, modules: string): Promise<ExportedSpans> {
    const app = await mkdtemp(join(this.folder, 'app-'));
    await symlink(modules, join(app, 'node_modules'));
    await copyFile(join(import.meta.dirname, 'telemetry.js'), join(app, 'telemetry.js'));
    for (const file of await readdir(sources))
      if (/\.js$|^package\.json$/.test(file)) await copyFile(join(sources, file), join(app, file));
    const home = join(app, 'home');
    await mkdir(home);
    const recorder = await OtlpRecorder.start(this.service.otlpHttp);
    try {
      const env = {
        PATH: process.env['PATH'],
        HOME: home,
        OTEL_EXPORTER_OTLP_ENDPOINT: recorder.url,
        // Small batches: children come in requests before that of their parent, as they do in a long run.
        OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '2',
        // What would go to anybody else stays here.
        MASTRA_TELEMETRY_DISABLED: '1',
        ...this.fakes.env,
      };
      this.program = new Child(process.execPath, [program], { cwd: app, env });
      const code = await this.program.ended(RUN_LIMIT_MS);
      assert.equal(code, 0, `ended with ${code}:\n${this.program.stdout}${this.program.stderr}`);
      assert.deepEqual(recorder.refused, []);
      return new ExportedSpans(recorder.requests);
    } finally {
      this.program = undefined;
      recorder.stop();
    }
  }

  /** What was started is stopped. @returns the service's exit code and its complaints */
  async stop(): Promise<{ readonly code: number | null; readonly stderr: string }> {
    const { child } = this.service;
    const code = await child.stop();
    process.off('exit', this.clearAway);
    this.clearAway();
    return { code, stderr: child.stderr };
  }

  private readonly clearAway = (): void => {
    this.program?.kill();
    this.service.child.kill();
    this.fakes.stop();
    rmSync(this.folder, { recursive: true, force: true });
  };
}
