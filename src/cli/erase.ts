import type { Command } from "commander";
import type { Api } from "./api.ts";
import { addLinkOptions, example, onServer, type Workbench } from "./command-words.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { printJson } from "./listing.ts";
import { printable } from "./terminal-text.ts";

interface EraseOptions {
  readonly subject: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Adds `sluice erase`, which removes personal content from everything that is stored. */
export function addEraseCommand(program: Command, bench: Workbench): void {
  addLinkOptions(
    program.command("erase").description("erase the content of all runs about a subject; this cannot be undone"),
  )
    .requiredOption("--subject <expression>", "a condition on args, labels or run that selects the runs")
    .option("--dry-run", "only print what would be erased")
    .option("--json", "print the answer of the API as JSON")
    .option("--quiet", "print only the ids of the runs")
    .addHelpText("after", example(`sluice erase --subject 'args.customer == "4711"' --dry-run`))
    .action(onServer(bench, erase));
}

/** Prints the ids to standard output and all other text to standard error. Exit code 1 when some content was left. */
async function erase(io: Io, api: Api, options: EraseOptions): Promise<number> {
  const { subject, dryRun = false } = options;
  const report = await api.history.erase({ subject, dryRun });
  const isWhole = report.open.length === 0 && report.undecided.length === 0 && report.sealed.length === 0;
  const code = isWhole ? EXIT.fine : EXIT.runFailed;
  if (options.json === true) {
    printJson(io, report);
    return code;
  }
  for (const id of report.runs) io.out.write(`${printable(id)}\n`);
  if (options.quiet === true) return code;
  const say = (line: string): unknown => io.err.write(`${line}\n`);
  const done = dryRun ? "would be erased" : "erased";
  say(`${counted(report.runs.length, "run")} ${done}, ${counted(report.archives.length, "archive")}`);
  if (report.already.length > 0) say(`${counted(report.already.length, "run")} erased before`);
  for (const id of report.open) {
    say(`not erased: ${printable(id)} ${id.startsWith("apr_") ? "waits for an answer" : "has not ended"}`);
  }
  for (const id of report.undecided) say(`not erased: the condition cannot be decided for ${printable(id)}`);
  for (const { seq, type, run } of report.sealed) {
    say(`not erased: audit record ${seq} (${type}) of ${printable(run)} was sealed with its text`);
  }
  for (const what of report.outOfReach) say(`out of reach: ${printable(what)}`);
  return code;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
