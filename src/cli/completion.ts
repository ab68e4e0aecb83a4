import type { Command } from "commander";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

interface Entry {
  /** The name of the command: `run`, or noun and verb as in `runs list`. */
  readonly name: string;
  readonly description: string;
  readonly options: readonly {
    readonly flag: string;
    readonly description: string;
    readonly choices: readonly string[];
  }[];
  /** Possible next words besides options: verbs, or the choices of arguments. */
  readonly words: readonly string[];
}

/** Prints the completion script. It is generated from the command tree, so that it is always complete. */
export function completion(io: Io, shell: Shell, program: Command): number {
  const entries = program.commands.flatMap((command) => entriesOf(command, ""));
  switch (shell) {
    case "bash":
      io.out.write(bash(entries));
      break;
    case "zsh":
      io.out.write(`#compdef sluice\nautoload -U +X bashcompinit && bashcompinit\n${bash(entries)}`);
      break;
    case "fish":
      io.out.write(fish(entries));
      break;
  }
  return EXIT.fine;
}

function entriesOf(command: Command, prefix: string): readonly Entry[] {
  const name = `${prefix}${command.name()}`;
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const own: Entry = {
    name,
    description: command.description(),
    options: command.options.map(({ long, description, argChoices }) => ({
      flag: long ?? "",
      description,
      choices: argChoices ?? [],
    })),
    words: [...command.commands.map((verb) => verb.name()), ...choices],
  };
  return [own, ...command.commands.flatMap((verb) => entriesOf(verb, `${name} `))];
}

const isVerb = ({ name }: Entry): boolean => name.includes(" ");

/** Returns the script for bash. After a noun it offers the verbs, and only after a verb the options. */
function bash(entries: readonly Entry[]): string {
  const nouns = new Set(entries.filter(isVerb).map(({ name }) => name.split(" ", 1)[0] ?? ""));
  const flagCases = entries.flatMap(({ name, options }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .map(({ flag, choices }) => `    "${name} ${flag}") words="${choices.join(" ")}" ;;`),
  );
  const wordCases = entries.map(({ name, options, words }) => {
    const offered = [...words, ...options.map(({ flag }) => flag), "--help"];
    return `    "${name}") words="${offered.join(" ")}" ;;`;
  });
  const first = entries.filter((entry) => !isVerb(entry)).map(({ name }) => name);
  return `_sluice() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${first.join(" ")} --help --version" -- "$current"))
    return
  fi
  case "$command" in
    ${[...nouns].join("|")}) [ "$COMP_CWORD" -eq 2 ] || command="$command \${COMP_WORDS[2]}" ;;
  esac
  case "$command $previous" in
${flagCases.join("\n")}
  esac
  [ -n "$words" ] || case "$command" in
${wordCases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
}
complete -o filenames -F _sluice sluice
`;
}

function fish(entries: readonly Entry[]): string {
  const lines = entries.flatMap((entry) => {
    const [noun = "", verb] = entry.name.split(" ");
    const seen = [noun, ...(verb === undefined ? [] : [verb])].map((word) => `__fish_seen_subcommand_from ${word}`);
    const here = `-n "${seen.join("; and ")}"`;
    const own =
      verb === undefined
        ? `-n "__fish_use_subcommand" -a ${noun}`
        : `-n "__fish_seen_subcommand_from ${noun}" -a ${verb}`;
    return [
      `complete -c sluice ${own} -d ${quote(entry.description)}`,
      ...(entry.words.length === 0 ? [] : [`complete -c sluice ${here} -a "${entry.words.join(" ")}"`]),
      ...entry.options.map((option) => {
        const values = option.choices.length === 0 ? "" : ` -x -a "${option.choices.join(" ")}"`;
        return `complete -c sluice ${here} -l ${option.flag.slice(2)}${values} -d ${quote(option.description)}`;
      }),
    ];
  });
  return `${lines.join("\n")}\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
