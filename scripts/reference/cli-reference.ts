import type { Command } from "commander";
import { EXIT } from "../../src/cli/exit-code.ts";
import { createProgram } from "../../src/cli/program.ts";
import type { Io, Screen } from "../../src/cli/io.ts";
import { createSystemClock } from "../../src/clock/index.ts";

/** The meaning of each exit code; one without a line here does not compile. */
const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  fine: "success",
  runFailed: "the run failed, or a check found an error",
  badUsage: "bad usage, or a file that is not valid",
  cancelled: "the run was cancelled, or the command was stopped while it watched a run",
  waiting: "the run waits for a person (`--no-wait`, or the command is not on a terminal)",
  unreachable: "the server or its database cannot be reached, or the answer is broken or incomplete",
  refused: "governance refused the launch",
  notPermitted: "not signed in, or not permitted",
};

/** The real program, writing only to the given function. */
export function programWith(write: (text: string) => void): Command {
  const screen: Screen = { isTty: false, size: () => ({ columns: 100, rows: 24 }), write };
  const io: Io = {
    out: screen,
    err: screen,
    cwd: ".",
    env: {},
    clock: createSystemClock(),
    isInputTty: false,
    readInput: () => Promise.resolve(new Uint8Array()),
    readLine: () => Promise.resolve(null),
    onInterrupt: () => () => undefined,
    exitNow: () => undefined,
  };
  return createProgram(io, () => Promise.resolve());
}

/** The page docs/reference/cli.md. */
export function renderCliReference(): string {
  let written = "";
  const program = programWith((text) => (written += text));
  const sections: string[] = [];
  const visit = (command: Command, words: readonly string[]): void => {
    command.configureHelp({ helpWidth: 110 });
    written = "";
    command.outputHelp();
    sections.push(`## \`${words.join(" ")}\`\n\n\`\`\`text\n${written.trimEnd()}\n\`\`\``);
    for (const inner of command.commands) visit(inner, [...words, inner.name()]);
  };
  for (const command of program.commands) visit(command, ["sluice", command.name()]);
  const codes = Object.entries(EXIT).map(([name, code]) => `| ${code} | ${EXIT_MEANINGS[name as keyof typeof EXIT]} |`);
  return `${HEAD}\n\n| Exit code | Meaning |\n|---|---|\n${codes.join("\n")}\n\n${sections.join("\n\n")}\n`;
}

const HEAD = `# Commands

Written by \`npm run docs\` from the program itself; do not edit.

Commands have the form \`sluice <noun> <verb>\`. Data goes to standard output, progress and problems to standard error; \`--json\`
prints the answer of the API. Colours are used only on a terminal, and not with \`NO_COLOR\`. Ctrl-C cancels a run in this process;
for a run on a server it asks whether to cancel the run or only to stop watching. A second Ctrl-C ends the command at once.`;
