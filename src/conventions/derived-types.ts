import type { NodeType } from '../model/node.ts';
import { objectOf } from './json.ts';
import { MAX_NAME_CHARS } from './limits.ts';

/**
 * No convention has a span kind for tests, static analysis or self-reflection: a tool call is one of them when
 * the tool's name, or the command that a shell tool runs, says so.
 */

/** Matched against the tool's name in snake case. */
const NAMES: readonly (readonly [type: NodeType, pattern: RegExp])[] = [
  [
    'TEST_RUN',
    /(?:^|_)(?:pytest|unittest|jest|vitest|mocha|go_test|cargo_test|npm_test|tests?_runner)(?:_|$)/,
  ],
  ['TEST_RUN', /(?:^|_)(?:run|execute|rerun)_(?:[a-z]+_)?tests?(?:_|$)/],
  [
    'STATIC_ANALYSIS',
    /(?:^|_)(?:eslint|oxlint|tslint|tsc|flake8|ruff|mypy|pyright|pylint|semgrep|sonar|sonarqube|codeql|bandit)(?:_|$)/,
  ],
  [
    'STATIC_ANALYSIS',
    /(?:^|_)(?:lint|linter|typecheck|type_check|static_analysis|static_check|code_analysis)(?:_|$)/,
  ],
  [
    'REFLEXION_ACTION',
    /(?:^|_)(?:reflect|reflection|reflexion|critic|critique|self_(?:eval|evaluate|critique|correct|review)|judge|verify|verifier|review_own|retry_with_feedback)(?:_|$)/,
  ],
];

/** Matched against the beginning of each command of a shell line, after wrappers such as `npx` are taken off. */
const COMMANDS: readonly (readonly [type: NodeType, pattern: RegExp])[] = [
  [
    'TEST_RUN',
    /^(?:pytest|py\.test|unittest|jest|vitest|mocha|ava|tox|nox|rspec|phpunit|ctest|playwright test|(?:go|cargo|deno|bun|dotnet|swift|mix|npm|pnpm|yarn|make|gradle|\.\/gradlew|mvn) (?:run )?test\b|node --test\b|(?:python3? )?(?:\S*\/)?(?:run_tests|reproduce|test_runner)\.(?:py|sh)\b)/,
  ],
  [
    'STATIC_ANALYSIS',
    /^(?:eslint|oxlint|tslint|biome (?:check|lint)|tsc|flake8|ruff|mypy|pyright|pylint|semgrep|sonar-scanner|codeql|bandit|shellcheck|golangci-lint|go vet|cargo (?:clippy|check)|(?:npm|pnpm|yarn|make) (?:run )?(?:lint|typecheck|type-check|check))\b/,
  ],
];

const SHELL_TOOL =
  /(?:^|_)(?:bash|shell|sh|zsh|powershell|terminal|exec|command|cmd|execute_command|run_command)(?:_|$)/;
const COMMAND_FIELDS = ['command', 'cmd', 'bash_command', 'full_command', 'script', 'input'] as const;
const WRAPPERS =
  /^(?:\s|[A-Z_][A-Z0-9_]*=\S*\s|(?:sudo|time|env|npx|bunx|uvx|pnpx|exec|command)\s|(?:timeout|nice)\s+\S+\s|(?:pnpm|yarn|npm) (?:exec|dlx)\s(?:--\s)?|(?:uv|poetry|pipenv|pdm|hatch|rye) run\s|bundle exec\s|python3?(?:\.\d+)? -m\s|(?:\S*\/)?node_modules\/\.bin\/)*/;

/** A shell line is looked at up to here: what a command does is said at its beginning. */
const MAX_COMMAND_CHARS = 2000;

/** A more exact type for a tool call; undefined when it is just a tool call. */
export function derivedType(
  toolName: string | undefined,
  toolArguments: string | undefined,
): NodeType | undefined {
  if (toolName === undefined) return undefined;
  const name = snake(toolName.slice(0, MAX_NAME_CHARS));
  for (const [type, pattern] of NAMES) if (pattern.test(name)) return type;
  if (toolArguments === undefined || !SHELL_TOOL.test(name)) return undefined;
  return typeOfCommand(commandOf(toolArguments));
}

function snake(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
}

function commandOf(toolArguments: string): string {
  const parsed = objectOf(toolArguments);
  if (parsed === undefined) return toolArguments;
  for (const field of COMMAND_FIELDS) {
    const value = parsed[field];
    if (typeof value === 'string') return value;
    // `["bash", "-lc", "npm test"]`: the shell's own name and flags are not the command.
    if (Array.isArray(value)) {
      const words = value.filter((word) => typeof word === 'string');
      return SHELL_TOOL.test(words[0] ?? '') ? words.slice(2).join(' ') : words.join(' ');
    }
  }
  return '';
}

function typeOfCommand(line: string): NodeType | undefined {
  for (const part of line.slice(0, MAX_COMMAND_CHARS).split(/&&|\|\||[;|\n]/)) {
    const command = part.replace(WRAPPERS, '');
    for (const [type, pattern] of COMMANDS) if (pattern.test(command)) return type;
  }
  return undefined;
}
