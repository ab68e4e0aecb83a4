import type { Command } from "commander";
import { EXIT } from "../../src/cli/exit-code.ts";
import { createProgram } from "../../src/cli/program.ts";
import type { Io, Screen } from "../../src/cli/io.ts";
import { createSystemClock } from "../../src/clock/index.ts";

/** What each exit code says; one without a line here does not compile. */
const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  fine: "fine",
  runFailed: "the run failed, or what was looked at is not in order",
  badUsage: "bad usage, or a file that is not valid",
  cancelled: "cancelled",
  waiting: "it waits for a person (`--no-wait`, or nobody is there to ask)",
  unreachable: "the server or its database cannot be reached",
  refused: "governance refused the launch",
  notPermitted: "not signed in, or the key does not allow it",
};

/** The program as it is, writing into nothing but the text that is handed back. */
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
  return `${HEAD}\n\n| Exit code | Means |\n|---|---|\n${codes.join("\n")}\n\n${sections.join("\n\n")}\n`;
}

const HEAD = `# Commands

Written by \`npm run docs\` from the program itself; do not edit.

\`sluice <noun> <verb>\`. Data goes to standard output, progress and problems to standard error; \`--json\` prints what the API
answers. Colours only on a terminal, and not with \`NO_COLOR\`. Ctrl-C cancels, a second one ends at once.`;
