import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { ApiProblem, type SluiceClient, type Workflow } from "../client/index.ts";
import { digestJson, type JsonObject } from "../core/base/index.ts";
import { argsSchema } from "../core/outputs/index.ts";
import { readWaitFields, waitProperties } from "./input.ts";
import type { OfferCache } from "./offer.ts";
import { startAndWait } from "./run-tools.ts";
import type { ToolCall } from "./tool.ts";
import { troubleResult } from "./tool-result.ts";

const PREFIX = "run_";
/** A workflow with this name gets no tool of its own, because `run_workflow` is the tool that runs any workflow. */
const TAKEN = "workflow";
const PAGE = 100;

export interface ListedWorkflows {
  readonly workflows: readonly Workflow[];
  readonly nextCursor: string | null;
}

/** Returns the name of the tool for a workflow; null when it can only be run with `run_workflow`. */
export function toolNameOf(workflow: string): string | null {
  return workflow === TAKEN ? null : `${PREFIX}${workflow}`;
}

/** Returns exposed workflows after a cursor, at least a full page unless fewer are left. Unexposed workflows in between are skipped. */
export async function listExposed(api: SluiceClient, cursor: string | null): Promise<ListedWorkflows> {
  const workflows: Workflow[] = [];
  let at = cursor;
  do {
    const listed = await api.listWorkflows({ limit: PAGE, ...(at === null ? {} : { cursor: at }) });
    workflows.push(...listed.data.filter(({ exposed }) => exposed));
    at = listed.nextCursor ?? null;
  } while (at !== null && workflows.length < PAGE);
  return { workflows, nextCursor: at };
}

/** Returns a page of the tools made from workflows; none when the caller may not read workflows. */
export async function listWorkflowTools(
  api: SluiceClient,
  offers: OfferCache,
  cursor: string | null,
): Promise<{ readonly tools: readonly Tool[]; readonly nextCursor: string | null }> {
  try {
    const { workflows, nextCursor } = await listExposed(api, cursor);
    const tools: Tool[] = [];
    for (const workflow of workflows.filter(({ status }) => status === "active")) {
      const name = toolNameOf(workflow.name);
      if (name !== null) tools.push(await toolOf(api, offers, workflow, name));
    }
    return { tools, nextCursor };
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 403) return { tools: [], nextCursor: null };
    throw error;
  }
}

/** Returns a digest that changes when the tools made from workflows change. */
export async function fingerprintTools(api: SluiceClient): Promise<string> {
  const seen: [string, string][] = [];
  let cursor: string | null = null;
  do {
    const { workflows, nextCursor }: ListedWorkflows = await listExposed(api, cursor);
    for (const { name, status, hash } of workflows) if (status === "active") seen.push([name, hash]);
    cursor = nextCursor;
  } while (cursor !== null);
  return digestJson(seen);
}

/** Builds a tool. Results have the shape that `run_workflow` declares, so the tool repeats no output schema. */
async function toolOf(api: SluiceClient, offers: OfferCache, workflow: Workflow, name: string): Promise<Tool> {
  const { description, args, annotations } = await offers.find(api, workflow);
  const schema = args === null ? { type: "object" } : argsSchema(args, waitProperties() as JsonObject);
  const about = description ?? `Runs the workflow ${workflow.name}.`;
  return {
    name,
    title: workflow.name,
    description: `${about}\n\nStarts a run of the workflow ${workflow.name}@${workflow.version} and waits for it.`,
    inputSchema: schema as Tool["inputSchema"],
    annotations: { title: workflow.name, ...annotations },
  };
}

/** Runs the workflow of a tool; null when there is no such tool. */
export async function callWorkflowTool(
  offers: OfferCache,
  tool: string,
  given: JsonObject,
  call: ToolCall,
): Promise<CallToolResult | null> {
  const workflow = tool.startsWith(PREFIX) ? await findExposed(call.api, tool.slice(PREFIX.length)) : null;
  if (workflow === null) return null;
  const { args: declared } = await offers.find(call.api, workflow);
  const isOurs = (name: string): boolean =>
    Object.hasOwn(waitProperties(), name) && !Object.hasOwn(declared ?? {}, name);
  const entries = Object.entries(given);
  const fields = readWaitFields(Object.fromEntries(entries.filter(([name]) => isOurs(name))));
  if (!fields.success) {
    const [issue] = fields.error.issues;
    const message = `"${issue?.path.join(".") ?? ""}": ${issue?.message ?? "It does not fit"}.`;
    return troubleResult({ code: "invalid_request", message });
  }
  const args = Object.fromEntries(entries.filter(([name]) => !isOurs(name)));
  return startAndWait({ workflow: workflow.name, args }, fields.data, call);
}

async function findExposed(api: SluiceClient, name: string): Promise<Workflow | null> {
  if (toolNameOf(name) === null || name === "") return null;
  try {
    const workflow = await api.getWorkflow(name);
    return workflow.exposed ? workflow : null;
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return null;
    throw error;
  }
}
