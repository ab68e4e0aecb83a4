import type { Command } from "commander";
import { RUN_STATUSES, WAITING_FOR } from "../core/event/index.ts";
import { addPacketCommand } from "./audit-commands.ts";
import {
  addChoice,
  addLinkOptions,
  addListOptions,
  addNoun,
  apiOf,
  collect,
  example,
  positiveInteger,
  type Workbench,
} from "./command-words.ts";
import {
  type CheckpointOptions,
  listCheckpoints,
  PROVENANCE_FORMATS,
  type ProvenanceOptions,
  showProvenance,
} from "./provenance.ts";
import {
  type ActionOptions,
  branchRun,
  type BranchOptions,
  cancelRun,
  listRuns,
  type ListRunsOptions,
  recoverRun,
  resolveNode,
  type ResolveOptions,
  restartRun,
  rewindRun,
  showRun,
  type ShowRunOptions,
  watchRun,
  type WatchOptions,
} from "./runs.ts";
import { addSignalCommand } from "./events.ts";
import type { LinkOptions } from "./server-link.ts";

/** `sluice runs …`: what happened on the server, and what to do about it. */
export function addRunCommands(program: Command, bench: Workbench): void {
  const runs = addNoun(program, "runs", "see and steer runs on the server");
  addLooking(runs, bench);
  addSteering(runs, bench);
  addHistory(runs, bench);
  addSignalCommand(runs, bench);
  addPacketCommand(runs, bench);
}

function addLooking(runs: Command, { io, settle }: Workbench): void {
  const list = addListOptions(runs.command("list").description("list runs, newest first"))
    .option("--workflow <name>", "only runs of this workflow")
    .option("--parent <run>", "only child runs of this run");
  addChoice(list, "--status <status>", "only runs in this status", RUN_STATUSES);
  addChoice(list, "--waiting-for <what>", "only runs that wait for this, child runs included", WAITING_FOR)
    .addHelpText("after", example("sluice runs list --status failed --limit 10"))
    .action((options: ListRunsOptions & LinkOptions) => settle(() => listRuns(io, apiOf(io, options), options)));
  addLinkOptions(runs.command("show").description("show a run and all its nodes, or what one node gave"))
    .argument("<run>", "id of the run")
    .option("--node <id>", "only this node: its result on standard output")
    .option("--at <event>", "as it was after this event", positiveInteger)
    .option("--json", "print the run with its state, or the node with its attempts, as JSON")
    .addHelpText("after", example("sluice runs show run_01hq --node summary"))
    .action((id: string, options: ShowRunOptions & LinkOptions) =>
      settle(() => showRun(io, apiOf(io, options), id, options)),
    );
  addLinkOptions(runs.command("watch").description("follow a run until it ends; Ctrl-C only stops watching"))
    .argument("<run>", "id of the run")
    .option("--no-wait", "stop with exit code 4 when a person is needed")
    .option("--json", "print one event per line, and the state of the run last")
    .option("--quiet", "no progress")
    .addHelpText("after", example("sluice runs watch run_01hq"))
    .action((id: string, options: WatchOptions & LinkOptions) =>
      settle(() => watchRun(io, apiOf(io, options), id, options)),
    );
}

function addHistory(runs: Command, { io, settle }: Workbench): void {
  addLinkOptions(runs.command("checkpoints").description("list the events a run can be rewound to or branched from"))
    .argument("<run>", "id of the run")
    .option("--limit <n>", "how many at most", positiveInteger)
    .option("--after <event>", "only later ones", positiveInteger)
    .option("--json", "print what the API answers")
    .addHelpText("after", example("sluice runs checkpoints run_01hq"))
    .action((id: string, options: CheckpointOptions & LinkOptions) =>
      settle(() => listCheckpoints(io, apiOf(io, options), id, options)),
    );
  const provenance = addLinkOptions(
    runs.command("provenance").description("show where the values of a run came from, or what one of them went into"),
  )
    .argument("<run>", "id of the run")
    .option("--node <id>", "the lineage of what this node gave, across runs")
    .option("--output <name>", "only of this output; without --node an arg, as args.NAME")
    .option("--down", "what was made from it, instead of what it was made from")
    .option("--json", "the same as --format json");
  addChoice(provenance, "--format <format>", "how to print it", PROVENANCE_FORMATS)
    .addHelpText("after", example("sluice runs provenance run_01hq --node summary --output title"))
    .action((id: string, options: ProvenanceOptions & LinkOptions) =>
      settle(() => showProvenance(io, apiOf(io, options), id, options)),
    );
}

function addSteering(runs: Command, { io, settle }: Workbench): void {
  addActionOptions(runs.command("cancel").description("cancel a run and everything it started"))
    .addHelpText("after", example("sluice runs cancel run_01hq"))
    .action((id: string, options: ActionOptions & LinkOptions) =>
      settle(() => cancelRun(io, apiOf(io, options), id, options)),
    );
  addActionOptions(runs.command("restart").description("start a new run that keeps what was completed"))
    .option("--from-node <id>", "do this node and all that depends on it again")
    .addHelpText("after", example("sluice runs restart run_01hq --from-node draft --watch"))
    .action((id: string, options: ActionOptions & LinkOptions & { fromNode?: string }) =>
      settle(() => restartRun(io, apiOf(io, options), id, options)),
    );
  addActionOptions(runs.command("rewind").description("take a run back to an event, and continue from there"))
    .requiredOption("--to <event>", "number of the event", positiveInteger)
    .addHelpText("after", example("sluice runs rewind run_01hq --to 42 --watch"))
    .action((id: string, options: ActionOptions & LinkOptions & { to: number }) =>
      settle(() => rewindRun(io, apiOf(io, options), id, options)),
    );
  addActionOptions(runs.command("branch").description("start a new run from an event of this one"))
    .requiredOption("--at <event>", "number of the event", positiveInteger)
    .option("--arg <name=value>", "an arg that is to be different; may be repeated", collect)
    .option("--args-file <file>", "args that are to be different, as a YAML or JSON map; --arg wins")
    .option("--arg-from <name=run/node/output>", "an arg taken from an output of another run; may be repeated", collect)
    .addHelpText("after", example("sluice runs branch run_01hq --at 42 --arg tone=formal --watch"))
    .action((id: string, options: BranchOptions & LinkOptions) =>
      settle(() => branchRun(io, apiOf(io, options), id, options)),
    );
  addActionOptions(runs.command("recover").description("continue a run that failed or was interrupted"))
    .addHelpText("after", example("sluice runs recover run_01hq --watch"))
    .action((id: string, options: ActionOptions & LinkOptions) =>
      settle(() => recoverRun(io, apiOf(io, options), id, options)),
    );
  addActionOptions(
    runs.command("resolve").description("unblock a node that waits for values, or for an agent to take it"),
  )
    .argument("<node>", "id of the node")
    .option("--assign-to <agent>", "who takes the node")
    .option("--value <name=text>", "a value it lacks; may be repeated", collect)
    .addHelpText("after", example("sluice runs resolve run_01hq review --assign-to ann --watch"))
    .action((id: string, nodeId: string, options: ResolveOptions & LinkOptions) =>
      settle(() => resolveNode(io, apiOf(io, options), id, nodeId, options)),
    );
}

function addActionOptions(command: Command): Command {
  return addLinkOptions(command)
    .argument("<run>", "id of the run")
    .option("--watch", "follow the run afterwards")
    .option("--no-wait", "with --watch: stop with exit code 4 when a person is needed")
    .option("--json", "print the run as JSON; with --watch its events")
    .option("--quiet", "nothing but the id of the run");
}
