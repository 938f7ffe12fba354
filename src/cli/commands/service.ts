import type { Command, OptionGroup } from '../command.ts';

/** Read by the configuration itself (src/config), which says all that is wrong at once. */
export const CONFIG_OPTIONS: OptionGroup = {
  title: 'Options',
  options: [
    {
      name: 'config',
      value: 'PATH',
      help: 'configuration file (default: ~/.nootropic/config.json, if there is one)',
    },
    {
      name: 'KEY',
      value: 'VALUE',
      help: 'any configuration key in kebab case, e.g. --port 9001 --data-dir ./data',
    },
  ],
};

const WHERE = [
  'Settings come from the configuration file, then EXPLAINABILITY_AGENT_* of the environment, then options; later ones win.',
  'Every key is described in config/defaults.jsonc, and by "explainability-agent config schema". OTEL_* says where its own telemetry goes.',
];

/** The service is loaded late: no other command needs it. */
export const serve: Command = {
  name: 'serve',
  summary: 'run the service (default)',
  usage: '[--config PATH] [--KEY VALUE …]',
  about: [
    'Prints a line for each port that it listens on and, last, "ready". SIGTERM or SIGINT ends it cleanly.',
    ...WHERE,
  ],
  options: [CONFIG_OPTIONS],
  examples: [
    { line: 'explainability-agent serve', what: 'on the default ports' },
    {
      line: 'explainability-agent serve --port 9001 --otlp-grpc-port 0',
      what: 'on other ports; 0 takes a free one',
    },
    { line: 'explainability-agent serve --cells 3', what: 'on all cores of a machine with four' },
  ],
  run: async (args) => (await import('../serve.ts')).serve(args),
};

export const demo: Command = {
  name: 'demo',
  summary: 'run the service and play an agent run into it',
  usage: '[--runaway] [--config PATH] [--KEY VALUE …]',
  about: ['Keeps nothing on disk.', ...WHERE],
  options: [
    {
      title: 'What is played',
      options: [{ name: 'runaway', help: 'an agent that goes in circles until a guard stops it' }],
    },
    CONFIG_OPTIONS,
  ],
  examples: [
    { line: 'explainability-agent demo', what: 'see what it does' },
    { line: 'explainability-agent demo --runaway', what: 'see a guard stop an agent that goes in circles' },
    { line: 'explainability-agent watch', what: 'meanwhile, in another terminal' },
  ],
  run: async (args) => (await import('../demo.ts')).demo(args),
};
