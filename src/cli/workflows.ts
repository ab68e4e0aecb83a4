import type { Api } from "./api.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { formatWhen, type ListOptions, pageOf, printFacts, printJson, printList } from "./listing.ts";
import { SERVER_CATALOG } from "./remote-plan.ts";
import { checkSource } from "../core/plan/index.ts";
import { pauseText } from "./pauses.ts";
import { oneLine, printable } from "./terminal-text.ts";

export async function listWorkflows(io: Io, api: Api, options: ListOptions): Promise<number> {
  const now = io.clock.now();
  printList(io, await api.listWorkflows(pageOf(options)), options, {
    none: "there are no workflows; save one with: sluice apply FILE",
    head: ["WORKFLOW", "VERSION", "STATUS", "FORMAT", "SAVED"],
    row: ({ name, version, status, format, savedAt }) => [
      oneLine(name),
      String(version),
      status,
      format,
      formatWhen(savedAt, now),
    ],
  });
  return EXIT.fine;
}

export interface GetWorkflowOptions {
  readonly version?: number;
  readonly source?: boolean;
  readonly json?: boolean;
}

/** Prints a workflow and its args. With `--source`, prints the exact text that was saved. */
export async function getWorkflow(io: Io, api: Api, name: string, options: GetWorkflowOptions): Promise<number> {
  const workflow = await api.getWorkflow(name);
  const version = await api.getVersion(name, options.version ?? workflow.version);
  if (options.json === true) {
    printJson(io, { ...workflow, ...version });
    return EXIT.fine;
  }
  if (options.source === true) {
    io.out.write(io.out.isTty ? printable(version.source) : version.source);
    return EXIT.fine;
  }
  const plan = checkSource(version.source, SERVER_CATALOG, { isStored: true }).plan;
  const args = Object.entries(plan?.args ?? {}).map(([arg, { type, required }]) => {
    return `${oneLine(arg)} (${type ?? "any"}${required ? ", required" : ""})`;
  });
  printFacts(io, [
    ["workflow", oneLine(workflow.name)],
    ["status", workflow.status],
    ["paused", workflow.paused === null ? null : pauseText(workflow.paused)],
    [
      "version",
      version.version === workflow.version ? `${version.version}` : `${version.version} of ${workflow.version}`,
    ],
    ["format", version.format],
    ["origin", version.origin],
    ["hash", version.hash],
    ["definition hash", version.definitionHash],
    ["nodes", plan === null ? null : String(plan.nodes.length)],
    ["args", args.length === 0 ? null : args.join(", ")],
  ]);
  return EXIT.fine;
}
