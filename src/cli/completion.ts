import type { Command } from "commander";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

interface Entry {
  readonly name: string;
  readonly description: string;
  readonly options: readonly {
    readonly flag: string;
    readonly description: string;
    readonly choices: readonly string[];
  }[];
  readonly words: readonly string[];
}

/** Completion made from the command tree itself, so that it never lags behind. */
export function completion(io: Io, shell: Shell, program: Command): number {
  const entries = program.commands.map(entryOf);
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

function entryOf(command: Command): Entry {
  return {
    name: command.name(),
    description: command.description(),
    options: command.options.map(({ long, description, argChoices }) => ({
      flag: long ?? "",
      description,
      choices: argChoices ?? [],
    })),
    words: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  };
}

function bash(entries: readonly Entry[]): string {
  const flagCases = entries.flatMap(({ name, options }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .map(({ flag, choices }) => `    "${name} ${flag}") words="${choices.join(" ")}" ;;`),
  );
  const wordCases = entries.map(({ name, options, words }) => {
    const offered = [...words, ...options.map(({ flag }) => flag), "--help"];
    return `    ${name}) words="${offered.join(" ")}" ;;`;
  });
  return `_sluice() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${entries.map(({ name }) => name).join(" ")} --help --version" -- "$current"))
    return
  fi
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
  const lines = entries.flatMap(({ name, description, options, words }) => {
    const seen = `-n "__fish_seen_subcommand_from ${name}"`;
    return [
      `complete -c sluice -n "__fish_use_subcommand" -a ${name} -d ${quote(description)}`,
      ...(words.length === 0 ? [] : [`complete -c sluice ${seen} -a "${words.join(" ")}"`]),
      ...options.map((option) => {
        const choices = option.choices.length === 0 ? "" : ` -x -a "${option.choices.join(" ")}"`;
        return `complete -c sluice ${seen} -l ${option.flag.slice(2)}${choices} -d ${quote(option.description)}`;
      }),
    ];
  });
  return `${lines.join("\n")}\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
