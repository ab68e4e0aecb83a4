import type { Command } from "commander";
import { addLinkOptions, example, onServer, type Workbench } from "./command-words.ts";
import { deleteRuns, importRuns, verifyPacketFile, type VerifyPacketOptions } from "./run-history.ts";

/** Adds `sluice runs delete`, `import` and `verify`: commands for runs that have ended. */
export function addRunHistoryCommands(runs: Command, bench: Workbench): void {
  const { io, settle } = bench;
  addLinkOptions(
    runs.command("delete").description("delete runs that have ended, with their child runs and all their data"),
  )
    .argument("<run...>", "ids of the runs")
    .option("--quiet", "print nothing")
    .addHelpText("after", example("sluice runs delete run_01hq run_01hr"))
    .action(onServer(bench, deleteRuns));
  addLinkOptions(runs.command("import").description("import runs that were archived before they were deleted"))
    .argument("<file...>", "packets, as a retention wrote them")
    .option("--json", "print the runs as JSON")
    .option("--quiet", "print only the ids of the runs")
    .addHelpText("after", example("sluice runs import archives/run_01hq.packet.gz"))
    .action(onServer(bench, importRuns));
  runs
    .command("verify")
    .description("verify the packet of an archived run; needs no server")
    .argument("<file>", "the packet")
    .option("--key <key>", "the public key it must be signed with, ed25519:…")
    .option("--json", "print the result as JSON")
    .option("--quiet", "print nothing when it is good")
    .addHelpText("after", example("sluice runs verify archives/run_01hq.packet.gz"))
    .action((file: string, options: VerifyPacketOptions) => settle(() => verifyPacketFile(io, file, options)));
}
