import { demo } from './demo.ts';
import { EXIT } from './exit-codes.ts';
import { serve } from './serve.ts';
import { VERSION } from './version.ts';

const HELP = `explainability-agent ${VERSION}: a live causal graph of what LLM agents thought and did

Usage: explainability-agent <command> [options]

Commands
  serve            run the service (default)
  demo             run the service and play recorded agent runs into it

Options of serve and demo
  --config PATH    configuration file (default: ~/.nootropic/config.json, if there is one)
  --KEY VALUE      any configuration key in kebab case, e.g. --port 9001 --data-dir ./data
  --help           this text
  --version        the version

Every key is described in config/defaults.jsonc. Environment: EXPLAINABILITY_AGENT_PORT, …, and OTEL_*.
`;

/** Runs one command. @returns the exit code of the process */
export async function runCli(argv: readonly string[]): Promise<number> {
  const [first, ...rest] = argv;
  const hasCommand = first !== undefined && !first.startsWith('-');
  const command = hasCommand ? first : 'serve';
  const args = hasCommand ? rest : argv;
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(HELP);
    return EXIT.ok;
  }
  if (argv.includes('--version')) {
    process.stdout.write(`${VERSION}\n`);
    return EXIT.ok;
  }
  if (command === 'serve') return serve(args);
  if (command === 'demo') return demo(args);
  process.stderr.write(`unknown command; known are serve and demo (see --help)\n`);
  return EXIT.badConfiguration;
}
