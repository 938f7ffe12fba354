/** One command of the program. The table in commands.ts is made of these, and the help is made from the table. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What follows the name of the command, such as `FILE… [options]`. */
  readonly usage: string;
  /** Further sentences, one per line of the help. */
  readonly about: readonly string[];
  readonly options: readonly OptionGroup[];
  readonly examples: readonly Example[];
  /**
   * @param args what follows the name of the command
   * @returns the exit code
   * @throws CliError, ClientError: told to the user in one line
   */
  run(args: readonly string[]): Promise<number>;
}

export interface OptionGroup {
  readonly title: string;
  readonly options: readonly Option[];
}

export interface Option {
  /** Without the dashes. */
  readonly name: string;
  /** What stands for the value in the help; an option without it is a switch. */
  readonly value?: string;
  /** May be given several times. */
  readonly many?: true;
  readonly help: string;
}

export interface Example {
  readonly line: string;
  readonly what: string;
}
