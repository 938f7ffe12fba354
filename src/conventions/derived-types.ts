import { MAX_NAME_CHARS } from '../model/one-line.ts';
import type { NodeType } from '../model/node.ts';
import { objectOf } from './json.ts';

/**
 * No convention has a span kind for tests, static analysis or self-reflection: a step is one of them when the name
 * of the tool, the command that a shell tool runs, or the name of the span or its agent says so. The first rule
 * that fits decides. An LLM call stays one whatever it is called. What names something else as well (`sonar` is a model)
 * counts only with a word that makes it plain.
 */
export interface TypeRule {
  readonly type: NodeType;
  /** Of `command`, the beginning of each command of the line that a shell tool runs. */
  readonly field: TypeRuleField;
  readonly pattern: Pattern;
}

export type TypeRuleField = 'toolName' | 'command' | 'spanName' | 'agent';

export interface Pattern {
  /** Whether it is found anywhere in the text. */
  test(text: string): boolean;
}

const REFLEXION =
  /(?:^|_)(?:reflect|reflection|reflexion|reflector|critic|critique|self_(?:eval|evaluate|evaluation|critique|correct|correction|review)|judge|verify|verifier|review_own|retry_with_feedback)(?:_|$)/;

const TOOL_RULES: readonly TypeRule[] = [
  {
    type: 'TEST_RUN',
    field: 'toolName',
    pattern:
      /(?:^|_)(?:pytest|unittest|jest|vitest|mocha|playwright_test|go_test|cargo_test|npm_test|tests?_runner)(?:_|$)/,
  },
  {
    type: 'TEST_RUN',
    field: 'toolName',
    pattern: /(?:^|_)(?:run|execute|rerun)_(?:[a-z]+_)?tests?(?:_|$)/,
  },
  {
    type: 'STATIC_ANALYSIS',
    field: 'toolName',
    pattern:
      /(?:^|_)(?:eslint|oxlint|tslint|tsc|flake8|ruff|mypy|pyright|pylint|semgrep|sonar_?(?:qube|cloud|lint|scan|scanner|issues?)|codeql|bandit)(?:_|$)/,
  },
  {
    type: 'STATIC_ANALYSIS',
    field: 'toolName',
    pattern: /(?:^|_)(?:lint|linter|typecheck|type_check|static_analysis|static_check|code_analysis)(?:_|$)/,
  },
  { type: 'REFLEXION_ACTION', field: 'toolName', pattern: REFLEXION },
  {
    type: 'TEST_RUN',
    field: 'command',
    pattern:
      /^(?:pytest|py\.test|unittest|jest|vitest|mocha|ava|tox|nox|rspec|phpunit|ctest|playwright test|(?:go|cargo|deno|bun|dotnet|swift|mix|npm|pnpm|yarn|make|gradle|\.\/gradlew|mvn) (?:run )?test\b|node --test\b|(?:python3? )?(?:\S*\/)?(?:run_tests|reproduce|test_runner)\.(?:py|sh)\b)/,
  },
  {
    type: 'STATIC_ANALYSIS',
    field: 'command',
    pattern:
      /^(?:eslint|oxlint|tslint|biome (?:check|lint)|tsc|flake8|ruff|mypy|pyright|pylint|semgrep|sonar-scanner|codeql|bandit|shellcheck|golangci-lint|go vet|cargo (?:clippy|check)|(?:npm|pnpm|yarn|make) (?:run )?(?:lint|typecheck|type-check|check))\b/,
  },
];

const NAME_RULES: readonly TypeRule[] = [
  { type: 'REFLEXION_ACTION', field: 'spanName', pattern: REFLEXION },
  { type: 'REFLEXION_ACTION', field: 'agent', pattern: REFLEXION },
];

const SHELL_TOOL =
  /(?:^|_)(?:bash|shell|sh|zsh|powershell|terminal|exec|command|cmd|execute_command|run_command)(?:_|$)/;
const COMMAND_FIELDS = ['command', 'cmd', 'full_command', 'bash_command', 'script', 'input'] as const;
const WRAPPERS =
  /^(?:\s|[A-Z_][A-Z0-9_]*=\S*\s|(?:sudo|time|env|npx|bunx|uvx|pnpx|exec|command)\s|(?:timeout|nice)\s+\S+\s|(?:pnpm|yarn|npm) (?:exec|dlx)\s(?:--\s)?|(?:uv|poetry|pipenv|pdm|hatch|rye) run\s|bundle exec\s|python3?(?:\.\d+)? -m\s|(?:\S*\/)?node_modules\/\.bin\/)*/;

/** A shell line is looked at up to here: what a command does is said at its beginning. */
const MAX_COMMAND_CHARS = 2000;

/** What rules look at. */
export interface TypeSource {
  readonly toolName?: string | undefined;
  readonly toolArguments?: string | undefined;
  readonly spanName?: string | undefined;
  readonly agent?: string | undefined;
  /** Made of other steps: it is what its own name or its agent's says. Of a tool, these speak of its surroundings. */
  readonly isContainer: boolean;
}

/**
 * A more exact type for a step; undefined when no rule fits.
 *
 * @param first rules that go before the built-in ones; they look at names as they were sent, and of any step
 */
export function derivedType(source: TypeSource, first: readonly TypeRule[] = []): NodeType | undefined {
  const own = first.length === 0 ? undefined : firstFit(first, source, asSent);
  if (own !== undefined) return own;
  return source.isContainer
    ? firstFit(NAME_RULES, source, snake)
    : source.toolName === undefined
      ? undefined
      : firstFit(TOOL_RULES, source, snake);
}

function asSent(name: string): string {
  return name.length > MAX_NAME_CHARS ? name.slice(0, MAX_NAME_CHARS) : name;
}

function firstFit(
  rules: readonly TypeRule[],
  source: TypeSource,
  spell: (name: string) => string,
): NodeType | undefined {
  let commands: readonly string[] | undefined;
  for (const { type, field, pattern } of rules) {
    if (field !== 'command') {
      const name = source[field];
      if (name !== undefined && pattern.test(spell(name))) return type;
      continue;
    }
    commands ??= commandsOf(source);
    for (const command of commands) if (pattern.test(command)) return type;
  }
  return undefined;
}

/** Programs have some hundreds of tools and agents; the bound is for names with numbers in them. */
const MAX_REMEMBERED = 2048;
const remembered = new Map<string, string>();

/** `runUnitTests` and `run-unit-tests` are `run_unit_tests`. */
function snake(whole: string): string {
  const name = asSent(whole);
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const made = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(name, made);
  return made;
}

/** The commands of the line that a shell tool runs, without what only wraps them; none for other tools. */
function commandsOf({ toolName, toolArguments }: TypeSource): readonly string[] {
  if (toolName === undefined || toolArguments === undefined || !SHELL_TOOL.test(snake(toolName))) return [];
  return commandOf(toolArguments)
    .slice(0, MAX_COMMAND_CHARS)
    .split(/&&|\|\||[;|\n]/)
    .map((part) => part.replace(WRAPPERS, ''));
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
