import type { Command } from "commander";
import type { KeyRequest } from "../client/index.ts";
import { addMemoryCommand } from "./agent-memory.ts";
import { apply } from "./apply.ts";
import { writeTypes } from "./types.ts";
import { addLinkOptions, addListOptions, addNoun, example, onServer, type Workbench } from "./command-words.ts";
import { addChoice, collect, positiveInteger } from "./option-values.ts";
import { createKey, listKeys, revokeKey } from "./keys.ts";
import type { ListOptions } from "./listing.ts";
import { addWorkflowPauses } from "./pauses.ts";
import { addSlotsCommand } from "./schedules.ts";
import { addSecretCommands } from "./secrets.ts";
import {
  deleteRegistered,
  getRegistered,
  listRegistered,
  platform,
  type PlatformOptions,
  REGISTRIES,
} from "./registries.ts";
import { addRunNowCommand, addTriggerCommands } from "./triggers.ts";
import { addDeliveryCommands, addHookCommand } from "./webhooks.ts";
import { getWorkflow, listWorkflows } from "./workflows.ts";

export const ROLES = [
  "viewer",
  "author",
  "operator",
  "approver",
  "admin",
] as const satisfies readonly KeyRequest["role"][];

export function addWorkflowCommands(program: Command, bench: Workbench): void {
  const workflows = addNoun(program, "workflows", "see the workflows of the server");
  addListOptions(workflows.command("list").description("list workflows with their newest version"))
    .addHelpText("after", example("sluice workflows list"))
    .action(onServer(bench, listWorkflows));
  addLinkOptions(workflows.command("get").description("show a workflow, or the text of one of its versions"))
    .argument("<name>", "name of the workflow")
    .option("--version <n>", "not the newest version but this one", positiveInteger)
    .option("--source", "print the text as it was saved")
    .option("--json", "print workflow and version as JSON")
    .addHelpText("after", example("sluice workflows get demo-hello --source > hello.lobsterX"))
    .action(onServer(bench, getWorkflow));
  addWorkflowPauses(workflows, bench);
  addHookCommand(workflows, bench);
  addLinkOptions(program.command("types").description("write TypeScript types of the workflows on the server"))
    .option("--out <file>", "file to write, - for standard output", "sluice-workflows.d.ts")
    .addHelpText("after", example("sluice types --out src/sluice-workflows.d.ts"))
    .action(onServer(bench, writeTypes));
  addLinkOptions(program.command("apply").description("update the registry of the server from files"))
    .argument("[path...]", "manifests of any kind, or workflows: files, folders, - for standard input")
    .option("-f, --file <path>", "the same, as an option; may be repeated", collect)
    .option("--dry-run", "only show what would change")
    .option("--json", "print the changes as JSON")
    .option("--quiet", "no diff")
    .addHelpText("after", example("sluice apply policies.yaml workflows/ triage.workflow.ts --dry-run"))
    .action(onServer(bench, apply));
}

export function addKeyCommands(program: Command, bench: Workbench): void {
  const keys = addNoun(program, "keys", "see, make and revoke keys of the server");
  addListOptions(keys.command("list").description("list keys; the secrets themselves are kept nowhere"))
    .addHelpText("after", example("sluice keys list"))
    .action(onServer(bench, listKeys));
  const create = addLinkOptions(keys.command("create").description("make a key; it is shown only once"))
    .requiredOption("--label <text>", "what or whom it is for")
    .option("--permission <name>", "a permission; may be repeated", collect)
    .option("--agent <id>", "the agent it belongs to, when it is not a person's")
    .option("--expires <when>", "90m, 12h, 30d, or a moment as ISO 8601")
    .option("--json", "print the key as JSON");
  addChoice(create, "--role <role>", "its role, which stands for several permissions", ROLES)
    .addHelpText("after", example("sluice keys create --label ci --role operator --expires 30d"))
    .action(onServer(bench, createKey));
  addLinkOptions(keys.command("revoke").alias("delete").description("revoke a key, for good"))
    .argument("<key-id>", "id of the key, not its secret")
    .option("--quiet", "print nothing")
    .addHelpText("after", example("sluice keys revoke key_01hq"))
    .action(onServer(bench, revokeKey));
}

/** Adds the same commands for every registry. */
export function addRegistryCommands(program: Command, bench: Workbench): void {
  for (const registry of REGISTRIES) {
    const { noun, one, example: id } = registry;
    const plural = noun === "library" ? "library steps" : noun;
    const nouns = addNoun(program, noun, `see the ${plural} that are registered`);
    addListOptions(nouns.command("list").description(`list ${plural}`))
      .addHelpText("after", example(`sluice ${noun} list`))
      .action(onServer(bench, (io, api, options: ListOptions) => listRegistered(io, api, registry, options)));
    addLinkOptions(nouns.command("get").description(`show a ${one}`.replace("a a", "an a")))
      .argument("<id>", `name of the ${one}`)
      .option("--json", "print it as JSON")
      .addHelpText("after", example(`sluice ${noun} get ${id}`))
      .action(
        onServer(bench, (io, api, name: string, options: { json?: boolean }) =>
          getRegistered(io, api, registry, name, options),
        ),
      );
    const deleting = nouns.command("delete").description(`delete a ${one}`.replace("a a", "an a"));
    if (noun === "grants")
      deleting.alias("revoke").description("revoke a grant: calls it covered need an approval again");
    addLinkOptions(deleting)
      .argument("<id>", `name of the ${one}`)
      .option("--quiet", "print nothing")
      .addHelpText("after", example(`sluice ${noun} delete ${id}`))
      .action(
        onServer(bench, (io, api, name: string, options: { quiet?: boolean }) =>
          deleteRegistered(io, api, registry, name, options),
        ),
      );
    if (noun === "agents") addMemoryCommand(nouns, bench);
    if (noun === "schedules") {
      addSlotsCommand(nouns, bench);
      addRunNowCommand(nouns, bench);
    }
    if (noun === "triggers") addTriggerCommands(nouns, bench);
    if (noun === "secrets") addSecretCommands(nouns, bench);
    if (noun === "webhooks" || noun === "channels") addDeliveryCommands(nouns, noun, bench);
  }
}

export function addPlatformCommands(program: Command, bench: Workbench): void {
  const noun = addNoun(program, "platform", "stop and start all work on the server");
  for (const [verb, open, about, line] of [
    ["show", null, "show whether anything may start", "sluice platform show"],
    ["close", false, "start no runs and dispatch no nodes", 'sluice platform close --reason "provider outage"'],
    ["open", true, "start runs and dispatch nodes again", "sluice platform open"],
  ] as const) {
    const command = addLinkOptions(noun.command(verb).description(about));
    if (open !== null) command.option("--reason <text>", "reason, shown to people").option("--quiet", "print nothing");
    command
      .option("--json", "print it as JSON")
      .addHelpText("after", example(line))
      .action(onServer(bench, (io, api, options: PlatformOptions) => platform(io, api, open, options)));
  }
}
