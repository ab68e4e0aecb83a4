import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { ApiProblem, type SluiceClient, type Workflow } from "../client/index.ts";
import { digestJson, type JsonObject } from "../core/base/index.ts";
import { argsSchema } from "../core/outputs/index.ts";
import { readWaitWords, waitProperties } from "./input.ts";
import type { OfferShelf } from "./offer.ts";
import { startAndWait } from "./run-tools.ts";
import type { ToolCall } from "./tool.ts";
import { troubleResult } from "./tool-result.ts";

const PREFIX = "run_";
/** A workflow of this name would take the place of the tool that runs them all. */
const TAKEN = "workflow";
const PAGE = 100;

export interface ListedWorkflows {
  readonly workflows: readonly Workflow[];
  readonly nextCursor: string | null;
}

/** The tool that runs a workflow; null when only `run_workflow` does. */
export function toolNameOf(workflow: string): string | null {
  return workflow === TAKEN ? null : `${PREFIX}${workflow}`;
}

/** Exposed workflows after a cursor: a page full, or all that are left. Many others may stand in between. */
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

/** A page of the tools made from workflows. A caller that may not read workflows has none. */
export async function listWorkflowTools(
  api: SluiceClient,
  shelf: OfferShelf,
  cursor: string | null,
): Promise<{ readonly tools: readonly Tool[]; readonly nextCursor: string | null }> {
  try {
    const { workflows, nextCursor } = await listExposed(api, cursor);
    const tools: Tool[] = [];
    for (const workflow of workflows.filter(({ status }) => status === "active")) {
      const name = toolNameOf(workflow.name);
      if (name !== null) tools.push(await toolOf(api, shelf, workflow, name));
    }
    return { tools, nextCursor };
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 403) return { tools: [], nextCursor: null };
    throw error;
  }
}

/** Changes when the tools made from workflows do. */
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

/** What comes back has the shape `run_workflow` describes: once per workflow it would only make every list longer. */
async function toolOf(api: SluiceClient, shelf: OfferShelf, workflow: Workflow, name: string): Promise<Tool> {
  const { description, args, annotations } = await shelf.find(api, workflow);
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

/** Runs the workflow a tool was made from; null when there is no such tool. */
export async function callWorkflowTool(
  shelf: OfferShelf,
  tool: string,
  given: JsonObject,
  call: ToolCall,
): Promise<CallToolResult | null> {
  const workflow = tool.startsWith(PREFIX) ? await findExposed(call.api, tool.slice(PREFIX.length)) : null;
  if (workflow === null) return null;
  const { args: declared } = await shelf.find(call.api, workflow);
  const isOurs = (name: string): boolean =>
    Object.hasOwn(waitProperties(), name) && !Object.hasOwn(declared ?? {}, name);
  const entries = Object.entries(given);
  const words = readWaitWords(Object.fromEntries(entries.filter(([name]) => isOurs(name))));
  if (!words.success) {
    const [issue] = words.error.issues;
    const message = `"${issue?.path.join(".") ?? ""}": ${issue?.message ?? "It does not fit"}.`;
    return troubleResult({ code: "invalid_request", message });
  }
  const args = Object.fromEntries(entries.filter(([name]) => !isOurs(name)));
  return startAndWait({ workflow: workflow.name, args }, words.data, call);
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
