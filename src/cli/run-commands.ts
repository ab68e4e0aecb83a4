import type { Command } from "commander";
import { RUN_STATUSES, WAITING_FOR } from "../core/event/index.ts";
import { addPacketCommand } from "./audit-commands.ts";
import { addLinkOptions, addListOptions, addNoun, example, onServer, type Workbench } from "./command-words.ts";
import { addChoice, collect, countFromZero, dollars, positiveInteger } from "./option-values.ts";
import { branchRun } from "./branch.ts";
import { addRunHistoryCommands } from "./run-history-commands.ts";
import { listCheckpoints, PROVENANCE_FORMATS, showProvenance } from "./provenance.ts";
import { listRuns } from "./list-runs.ts";
import {
  cancelRun,
  pauseRun,
  recoverRun,
  resolveNode,
  restartRun,
  resumeRun,
  rewindRun,
  showRun,
  watchRun,
} from "./runs.ts";
import { addSignalCommand } from "./events.ts";

/** Adds `sluice runs …`: commands that show and control runs on the server. */
export function addRunCommands(program: Command, bench: Workbench): void {
  const runs = addNoun(program, "runs", "see and control runs on the server");
  addViewCommands(runs, bench);
  addSteering(runs, bench);
  addHistory(runs, bench);
  addSignalCommand(runs, bench);
  addPacketCommand(runs, bench);
  addRunHistoryCommands(runs, bench);
}

function addViewCommands(runs: Command, bench: Workbench): void {
  const list = addListOptions(runs.command("list").description("list runs, newest first"))
    .argument(
      "[words...]",
      "only runs with all these words: in args, outputs, errors, labels, ids, names; wor* as a beginning",
    )
    .option("--workflow <name>", "only runs of this workflow")
    .option("--workflow-version <n>", "only runs of this version", positiveInteger)
    .option("--parent <run>", "only child runs of this run")
    .option("--trigger <what>", "only runs started so: api, schedule, hook, …, or trigger:NAME, schedule:NAME")
    .option("--agent <id>", "only runs in which this agent worked")
    .option("--model <id>", "only runs in which this model was asked")
    .option("--label <name=text>", "only runs with this label (repeatable)", collect)
    .option("--error <code>", "only runs that ended with this code")
    .option("--min-cost <usd>", "only runs that cost at least so much", dollars)
    .option("--max-cost <usd>", "only runs that cost at most so much", dollars)
    .option("--min-duration <time>", "only runs that took at least so long: seconds, or 90s, 5m, 2h")
    .option("--max-duration <time>", "only runs that took at most so long")
    .option("--since <moment>", "only runs created since: 2026-11-17, or so long ago, such as 7d")
    .option("--until <moment>", "only runs created before");
  addChoice(list, "--status <status>", "only runs in this status", RUN_STATUSES);
  addChoice(list, "--waiting-for <what>", "only runs that wait for this, child runs included", WAITING_FOR)
    .addHelpText("after", example("sluice runs list --status failed --limit 10"))
    .addHelpText("after", example("sluice runs list --label customer=4711 --since 7d refund"))
    .action(onServer(bench, listRuns));
  addLinkOptions(runs.command("show").description("show a run and all its nodes, or the result of one node"))
    .argument("<run>", "id of the run")
    .option("--node <id>", "only this node: its result on standard output")
    .option("--at <event>", "as it was after this event", positiveInteger)
    .option("--json", "print the run with its state, or the node with its attempts, as JSON")
    .addHelpText("after", example("sluice runs show run_01hq --node summary"))
    .action(onServer(bench, showRun));
  addLinkOptions(runs.command("watch").description("follow a run until it ends; Ctrl-C only stops watching"))
    .argument("<run>", "id of the run")
    .option("--no-wait", "stop with exit code 4 when a person is needed")
    .option("--json", "print one event per line, and the state of the run last")
    .option("--quiet", "no progress")
    .addHelpText("after", example("sluice runs watch run_01hq"))
    .action(onServer(bench, watchRun));
}

function addHistory(runs: Command, bench: Workbench): void {
  addLinkOptions(runs.command("checkpoints").description("list the events a run can be rewound to or branched from"))
    .argument("<run>", "id of the run")
    .option("--limit <n>", "how many at most", positiveInteger)
    .option("--after <event>", "only later ones", positiveInteger)
    .option("--json", "print the answer of the API as JSON")
    .addHelpText("after", example("sluice runs checkpoints run_01hq"))
    .action(onServer(bench, listCheckpoints));
  const provenance = addLinkOptions(
    runs
      .command("provenance")
      .description("show where the values of a run came from, or what was made from one of them"),
  )
    .argument("<run>", "id of the run")
    .option("--node <id>", "the lineage of the outputs of this node, across runs")
    .option("--output <name>", "only of this output; without --node an arg, as args.NAME")
    .option("--down", "what was made from it, instead of what it was made from")
    .option("--json", "the same as --format json");
  addChoice(provenance, "--format <format>", "output format", PROVENANCE_FORMATS)
    .addHelpText("after", example("sluice runs provenance run_01hq --node summary --output title"))
    .action(onServer(bench, showProvenance));
}

function addSteering(runs: Command, bench: Workbench): void {
  addActionOptions(runs.command("cancel").description("cancel a run and everything it started"))
    .addHelpText("after", example("sluice runs cancel run_01hq"))
    .action(onServer(bench, cancelRun));
  addActionOptions(runs.command("pause").description("pause a run and its child runs: nothing new is dispatched"))
    .option("--reason <text>", "reason, shown to people")
    .addHelpText("after", example("sluice runs pause run_01hq --reason 'waiting for legal'"))
    .action(onServer(bench, pauseRun));
  addActionOptions(runs.command("resume").description("let a paused run and its child runs continue"))
    .option("--reason <text>", "reason, shown to people")
    .addHelpText("after", example("sluice runs resume run_01hq --watch"))
    .action(onServer(bench, resumeRun));
  addActionOptions(runs.command("restart").description("start a new run that keeps what was completed"))
    .option("--from-node <id>", "run this node and all nodes that depend on it again")
    .addHelpText("after", example("sluice runs restart run_01hq --from-node draft --watch"))
    .action(onServer(bench, restartRun));
  addActionOptions(runs.command("rewind").description("take a run back to an event, and continue from there"))
    .requiredOption("--to <event>", "number of the event", positiveInteger)
    .addHelpText("after", example("sluice runs rewind run_01hq --to 42 --watch"))
    .action(onServer(bench, rewindRun));
  addActionOptions(
    runs
      .command("branch")
      .description("start a new run from an event of this one, or from inside the turn of an agent"),
  )
    .option("--at <event>", "number of the event; with --prompt or --output the last one unless given", positiveInteger)
    .option("--arg <name=value>", "an arg to change; may be repeated", collect)
    .option("--args-file <file>", "args to change, as a YAML or JSON map; --arg wins")
    .option("--arg-from <name=run/node/output>", "an arg taken from an output of another run; may be repeated", collect)
    .option("--prompt <node=text|@file>", "new prompt of a node, sent as written; may be repeated", collect)
    .option("--output <node=json|@file>", "new outputs of a completed node; may be repeated", collect)
    .option("--node <id>", "in place of an event: the node whose turn is continued")
    .option("--round <n>", "with --node: the last round that is kept, counted from 0", countFromZero)
    .option("--message <text|@file>", "with --round: new answer of the model in that round")
    .option("--result <call=json|@file>", "with --round: new result of a call of that round, named by id or position")
    .addHelpText("after", example("sluice runs branch run_01hq --at 42 --arg tone=formal --watch"))
    .addHelpText("after", example("sluice runs branch run_01hq --prompt draft=@better.txt --watch"))
    .addHelpText("after", example("sluice runs branch run_01hq --node help --round 1 --result 0=@order.json"))
    .action(onServer(bench, branchRun));
  addActionOptions(runs.command("recover").description("continue a run that failed or was interrupted"))
    .addHelpText("after", example("sluice runs recover run_01hq --watch"))
    .action(onServer(bench, recoverRun));
  addActionOptions(
    runs.command("resolve").description("unblock a node that waits for values, or for an agent to take it"),
  )
    .argument("<node>", "id of the node")
    .option("--assign-to <agent>", "who gets the node")
    .option("--value <name=text>", "a missing value; may be repeated", collect)
    .addHelpText("after", example("sluice runs resolve run_01hq review --assign-to ann --watch"))
    .action(onServer(bench, resolveNode));
}

function addActionOptions(command: Command): Command {
  return addLinkOptions(command)
    .argument("<run>", "id of the run")
    .option("--watch", "follow the run afterwards")
    .option("--no-wait", "with --watch: stop with exit code 4 when a person is needed")
    .option("--json", "print the run as JSON; with --watch its events")
    .option("--quiet", "print only the id of the run");
}
