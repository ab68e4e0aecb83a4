import type { Command } from "commander";
import { backtestFile } from "./backtest.ts";
import { addLinkOptions, example, onServer, type Workbench } from "./command-words.ts";
import { addChoice } from "./option-values.ts";
import { TREND_BUCKETS, TREND_GROUPS } from "../core/search/index.ts";
import { showTrends } from "./trends.ts";
import { showUsage, USAGE_BUCKETS, USAGE_GROUPS } from "./usage.ts";

const WHEN = "2026-01-31, 2026-01-31T08:00:00Z, or how long ago: 36h, 7d";

/** Adds commands for usage and for backtests of policies. The `policies` commands must already exist. */
export function addGovernanceCommands(program: Command, bench: Workbench): void {
  const usage = addLinkOptions(program.command("usage").description("show tokens and cost on the server"))
    .option("--since <when>", `start: ${WHEN}; default: 90 days ago`)
    .option("--until <when>", "end; default: now")
    .option("--json", "print the answer of the API as JSON");
  addChoice(usage, "--by <what>", "print a row for each of these", USAGE_GROUPS);
  addChoice(usage, "--bucket <length>", "print a row for each day (or hour, week, month), UTC", USAGE_BUCKETS)
    .addHelpText("after", example("sluice usage --by agent --bucket day --since 7d"))
    .action(onServer(bench, showUsage));
  const trends = addLinkOptions(
    program.command("trends").description("show success, duration, waiting time and cost of runs over time"),
  )
    .option("--group <name>", "only this value of --by; a version is written name@2")
    .option("--since <when>", `start: ${WHEN}; default: 30 days ago, or one day with --bucket hour`)
    .option("--until <when>", "end; default: now")
    .option("--json", "print the answer of the API as JSON");
  addChoice(trends, "--by <what>", "print a row for each of these", TREND_GROUPS);
  addChoice(trends, "--bucket <length>", "print a row for each day (or hour) of creation, UTC", TREND_BUCKETS)
    .addHelpText("after", example("sluice trends --by workflow --since 7d"))
    .action(onServer(bench, showTrends));
  const policies = program.commands.find((command) => command.name() === "policies");
  if (policies === undefined) throw new Error("policies have commands of their own");
  addLinkOptions(policies.command("backtest").description("apply draft policies to earlier decisions of the server"))
    .argument("<file>", "manifests of kind Policy, - for standard input")
    .option("--since <when>", `only decisions since: ${WHEN}`)
    .option("--json", "print the answer of the API as JSON")
    .addHelpText("after", example("sluice policies backtest no-mail.yaml --since 30d"))
    .action(onServer(bench, backtestFile));
}
