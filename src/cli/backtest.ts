import type { BacktestReport } from "../client/index.ts";
import type { Api } from "./api.ts";
import { EXIT } from "./exit-code.ts";
import { formatCount } from "./figures.ts";
import type { Io } from "./io.ts";
import { formatWhen, printJson } from "./listing.ts";
import { readManifests } from "./manifest.ts";
import { Refusal } from "./refusal.ts";
import { formatTable } from "./table.ts";
import { createPaint, oneLine, printable } from "./terminal-text.ts";

export interface BacktestOptions {
  readonly since?: string;
  readonly json?: boolean;
}

/** Tests every policy of a file against past verdicts of the server. */
export async function backtestFile(io: Io, api: Api, name: string, options: BacktestOptions): Promise<number> {
  const policies = (await readManifests(io, [name])).flatMap(({ manifest: { kind, name: policy, spec } }) =>
    kind === "Policy" ? [{ kind, name: policy, spec }] : [],
  );
  if (policies.length === 0) throw new Refusal(`${printable(name)} contains no Policy`);
  const reports: BacktestReport[] = [];
  for (const policy of policies) reports.push(await api.backtestPolicy(policy, options.since));
  if (options.json === true) printJson(io, reports.length === 1 ? reports[0] : reports);
  else for (const report of reports) printReport(io, report);
  return EXIT.fine;
}

function printReport(io: Io, report: BacktestReport): void {
  const { policy, looked, matched, changed, uncertain, unreadable, isLimited, counts, examples, notes } = report;
  const paint = createPaint(io.out, io.env);
  const among = `${isLimited ? "the newest " : ""}${formatCount(looked, "verdict")}`;
  const would = `${changed} of ${among} would change, ${matched} match`;
  io.out.write(`${paint("bold", `${oneLine(policy.name)}@${policy.version}`)}: ${would}\n`);
  const moved = counts.filter(({ before, after }) => before !== after);
  if (moved.length > 0) {
    io.out.write(
      formatTable([
        ["BEFORE", "AFTER", "VERDICTS"],
        ...moved.map(({ before, after, count }) => [before, after, String(count)]),
      ]),
    );
  }
  if (examples.length > 0) {
    const now = io.clock.now();
    const rows = examples.map(({ runId, nodeId, before, after, at, message }) => [
      oneLine(runId),
      oneLine(nodeId),
      `${before} → ${after}`,
      formatWhen(at, now),
      oneLine(message ?? ""),
    ]);
    io.out.write(`\n${formatTable([["RUN", "NODE", "CHANGE", "WHEN", "WHY"], ...rows])}`);
  }
  if (uncertain > 0) {
    io.err.write(`${formatCount(uncertain, "verdict")} are uncertain: not all args of the run were kept\n`);
  }
  if (unreadable > 0) io.err.write(`${formatCount(unreadable, "verdict")} cannot be read any more\n`);
  for (const note of notes) io.err.write(`note: ${printable(note)}\n`);
}
