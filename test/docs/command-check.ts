import type { Command } from "commander";
import { programWith } from "../../scripts/reference/cli-reference.ts";
import type { Page } from "./page.ts";
import { cut, withoutRemark } from "./words.ts";

const PROGRAM = programWith(() => undefined);

/** What is wrong with a command as a page shows it: a command, an option or a choice that does not exist. */
export function problemsOfCommand(line: string): readonly string[] {
  const words = line.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  let command: Command = PROGRAM;
  const rest = [...words];
  while (rest.length > 0 && command.commands.length > 0) {
    const name = rest[0] ?? "";
    if (name.startsWith("-")) break;
    const inner = command.commands.find((one) => one.name() === name || one.aliases().includes(name));
    if (inner === undefined) return /^[A-Z<…]/.test(name) ? [] : [`there is no command "${name}" in: sluice ${line}`];
    command = inner;
    rest.shift();
  }
  return optionProblems(command, rest, line);
}

function optionProblems(command: Command, rest: readonly string[], line: string): readonly string[] {
  const problems: string[] = [];
  for (const [at, word] of rest.entries()) {
    if (!/^--?[a-z]/.test(word)) continue;
    const [flag = ""] = word.split("=", 1);
    const option = command.options.find(({ long, short }) => long === flag || short === flag);
    if (option === undefined && flag !== "--help" && flag !== "--version") {
      problems.push(`there is no option ${flag} in: sluice ${line}`);
    }
    const next = rest[at + 1] ?? "";
    const choices = option?.argChoices;
    if (choices !== undefined && /^[a-z]/.test(next) && !choices.includes(next)) {
      problems.push(`${flag} is one of ${choices.join(", ")} in: sluice ${line}`);
    }
  }
  return problems;
}

/** Every command of ours that a page shows, in a block or in a line of text. */
export function commandsShownIn({ text, blocks }: Page): readonly string[] {
  const lines = blocks
    .filter(({ language }) => language === "sh" || language === "console")
    .flatMap((block) => block.text.replaceAll(/\\\n\s*/g, " ").split("\n"))
    .filter((line) => !line.trimStart().startsWith("#"));
  const prose = text.replaceAll(/^ *```[\s\S]*?^ *```/gm, "");
  const inline = [...prose.matchAll(/`((?:bin\/)?sluice [^`]+)`/g)].map((match) =>
    (match[1] ?? "").replaceAll("\n", " "),
  );
  return [...lines, ...inline].flatMap((line) =>
    cut(withoutRemark(line.replace(/^\$ /, "")), "&&")
      .flatMap((part) => cut(part, "|"))
      .flatMap((part) => {
        const match = /^(?:[A-Z_]+=\S+ )*(?:\w+=\$\()?(?:bin\/)?sluice(?: ([^)>]+))?/.exec(part);
        return match?.[1] === undefined ? [] : [match[1].trim()];
      }),
  );
}
