import type { Command } from "commander";
import type { OrganisationPause, Run, Workflow } from "../client/index.ts";
import type { Api } from "./api.ts";
import { addLinkOptions, example, onServer, type Workbench } from "./command-words.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { printJson } from "./listing.ts";
import { oneLine } from "./terminal-text.ts";

type Shown = NonNullable<Workflow["paused"]> & Partial<Pick<NonNullable<Run["paused"]>, "scope">>;

/** Describes a pause: whether the run, workflow or organisation was paused, by whom and why. */
export function pauseText({ by, reason, scope = "run" }: Shown): string {
  const what = scope === "run" ? "paused" : `paused with its ${scope}`;
  const who = by === null ? "" : ` by ${oneLine(by)}`;
  return `${what}${who}${reason === null ? "" : `: ${oneLine(reason)}`}`;
}

interface SteerOptions {
  readonly reason?: string;
  readonly json?: boolean;
}

async function pauseWorkflow(io: Io, api: Api, name: string, { reason, json }: SteerOptions): Promise<number> {
  return print(io, await api.pauses.pauseWorkflow(name, reason), json, `${oneLine(name)} is paused with all its runs`);
}

async function resumeWorkflow(io: Io, api: Api, name: string, { reason, json }: SteerOptions): Promise<number> {
  return print(
    io,
    await api.pauses.resumeWorkflow(name, reason),
    json,
    `${oneLine(name)} is active, its runs continue`,
  );
}

async function pauseOrganisation(io: Io, api: Api, id: string, { reason, json }: SteerOptions): Promise<number> {
  return print(io, await api.pauses.pauseOrganisation(id, reason), json, `all runs of ${oneLine(id)} are paused`);
}

async function resumeOrganisation(io: Io, api: Api, id: string, { reason, json }: SteerOptions): Promise<number> {
  return print(io, await api.pauses.resumeOrganisation(id, reason), json, `the runs of ${oneLine(id)} continue`);
}

function print(io: Io, answer: Workflow | OrganisationPause, json: boolean | undefined, text: string): number {
  if (json === true) printJson(io, answer);
  else io.out.write(`${text}\n`);
  return EXIT.fine;
}

export function addWorkflowPauses(workflows: Command, bench: Workbench): void {
  addSteerOptions(workflows.command("pause").description("pause a workflow with all its runs; no new ones start"))
    .argument("<name>", "name of the workflow")
    .addHelpText("after", example("sluice workflows pause triage --reason 'the CRM is down'"))
    .action(onServer(bench, pauseWorkflow));
  addSteerOptions(workflows.command("resume").description("make a workflow active again; its runs continue"))
    .argument("<name>", "name of the workflow")
    .addHelpText("after", example("sluice workflows resume triage"))
    .action(onServer(bench, resumeWorkflow));
}

export function addOrganisationPauses(organisations: Command, bench: Workbench): void {
  addSteerOptions(organisations.command("pause").description("pause all runs; runs that are started later wait"))
    .argument("<id>", "id of the organisation")
    .addHelpText("after", example("sluice organisations pause acme --reason maintenance"))
    .action(onServer(bench, pauseOrganisation));
  addSteerOptions(organisations.command("resume").description("let the runs of an organisation continue"))
    .argument("<id>", "id of the organisation")
    .addHelpText("after", example("sluice organisations resume acme"))
    .action(onServer(bench, resumeOrganisation));
}

function addSteerOptions(command: Command): Command {
  return addLinkOptions(command)
    .option("--reason <text>", "reason, shown to people")
    .option("--json", "print the answer of the API as JSON");
}
