import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMANDS } from './commands.ts';
import { commandHelp, programHelp } from './help.ts';

test('[CLI1] the help names every command, and that of a command its options, examples and exit codes', () => {
  const whole = programHelp(COMMANDS);
  for (const command of COMMANDS) {
    assert.match(whole, new RegExp(`^  ${command.name} +\\S`, 'm'));
    const help = commandHelp(command);
    for (const { options } of command.options) {
      for (const { name } of options) assert.ok(help.includes(`--${name}`), `${command.name} --${name}`);
    }
    assert.ok(command.examples.length > 0, command.name);
    for (const { what } of command.examples) assert.ok(help.includes(what), what);
    // They can be typed where the program runs.
    assert.ok(!/explainability-agent [a-z]/.test(help.replace(/^.*?Examples/s, '')), command.name);
    assert.match(help, /Exit codes\n {2}0 .*\n {2}1 .*\n {2}2 /);
    for (const line of help.split('\n')) assert.ok(line.length <= 110, line);
  }
});

test('[CLI1] no two commands and no two options of a command have one name', () => {
  const names = COMMANDS.map((command) => command.name);
  assert.equal(new Set(names).size, names.length);
  for (const { name, options } of COMMANDS) {
    const flags = options.flatMap((group) => group.options.map((option) => option.name));
    assert.equal(new Set(flags).size, flags.length, name);
  }
});
