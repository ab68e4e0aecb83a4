import type { Command } from "commander";
import { exportAuditFile, savePacket, verifyAuditFile, type VerifyAuditOptions } from "./audit.ts";
import { showAuditKey } from "./audit-key.ts";
import { addLinkOptions, addNoun, onServer, example, type Workbench } from "./command-words.ts";

/** Adds `sluice audit …`: commands that export the audit log and verify it. */
export function addAuditCommands(program: Command, bench: Workbench): void {
  const audit = addNoun(program, "audit", "export the audit log and verify it");
  audit
    .command("verify")
    .description("verify an export of the audit log, without any server; exit code 1 names the first bad record")
    .argument("<file>", "the export, - for standard input")
    .option("--key <key>", "the public key it must be signed with: ed25519:…")
    .option("--checkpoints <file>", "checkpoints that were kept outside the database; the log must hold them all")
    .option("--json", "print the result as JSON")
    .option("--quiet", "print nothing unless something is wrong")
    .addHelpText("after", example("sluice audit export -o audit.ndjson && sluice audit verify audit.ndjson"))
    .action((file: string, options: VerifyAuditOptions) =>
      bench.settle(() => verifyAuditFile(bench.io, file, options)),
    );
  addDownloadOptions(audit.command("export").description("export the audit log with its checkpoints, as NDJSON"))
    .addHelpText("after", example("sluice audit export -o audit.ndjson"))
    .action(onServer(bench, exportAuditFile));
  addLinkOptions(audit.command("key").description("show the public key the audit is signed with, and those before it"))
    .option("--new", "print a new seed, and the settings that replace the old one, as lines of an environment file")
    .option("--json", "print it as JSON")
    .addHelpText("after", example("sluice audit key --new > audit.env"))
    .action(onServer(bench, showAuditKey));
}

/** Adds `sluice runs packet`. */
export function addPacketCommand(runs: Command, bench: Workbench): void {
  addDownloadOptions(
    runs
      .command("packet")
      .description("everything about a run in one file: records, verdicts, approvals, costs, events"),
  )
    .argument("<run>", "id of the run")
    .addHelpText("after", example("sluice runs packet run_01hq -o packet.json"))
    .action(onServer(bench, savePacket));
}

function addDownloadOptions(command: Command): Command {
  return addLinkOptions(command)
    .option("-o, --output <file>", "where to write it; standard output otherwise")
    .option("--quiet", "print nothing");
}
