import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { ApiProblem, type Frame, type Run, type SluiceClient, type Start } from "../client/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { RUN_STATUSES } from "../core/event/index.ts";
import { defined, page, runId, type WaitFields, waitSeconds, waitFields } from "./input.ts";
import { minimalRunSummary, type RunSummary, shapeOf, runSummaryOf } from "./run-summary.ts";
import { EVENT_SCHEMA, STANDING_SCHEMA, sentenceOf } from "./run-text.ts";
import { waitForRun } from "./run-wait.ts";
import { defineTool, type FixedTool, type ToolCall } from "./tool.ts";
import { answer, troubleResult } from "./tool-result.ts";

const LOOKING = { readOnlyHint: true, openWorldHint: false };
const EVENTS_MAX = 200;

export const runTools: readonly FixedTool[] = [
  defineTool({
    name: "run_workflow",
    title: "Run a workflow",
    description:
      "Starts a run of an exposed workflow and waits until it has ended, needs a person, or wait_seconds have passed. " +
      "Every node passes the gates before it acts. Follow a run that is still open with watch_run.",
    input: z.strictObject({
      workflow: z.string().describe("Name of a workflow, from list_workflows"),
      version: z.number().int().positive().optional().describe("Version of the workflow. Default: the newest"),
      args: z.record(z.string(), z.unknown()).optional().describe("Args of the workflow by name"),
      model: z.string().optional().describe("Model of all nodes that name none"),
      gateway: z.string().optional().describe("Gateway that executes the run"),
      ...waitFields,
    }),
    output: STANDING_SCHEMA,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    handle: async ({ workflow, version, args, model, gateway, ...fields }, call) => {
      const { exposed } = await call.api.getWorkflow(workflow);
      if (!exposed) return troubleResult(notExposed(workflow));
      const start: Start = {
        workflow,
        ...(version === undefined ? {} : { version }),
        // The args came as JSON, and the API validates them.
        ...(args === undefined ? {} : { args: args as JsonObject }),
        ...(model === undefined ? {} : { model }),
        ...(gateway === undefined ? {} : { gateway }),
      };
      return startAndWait(start, fields, call);
    },
  }),
  defineTool({
    name: "get_run",
    title: "Show a run",
    description: "Shows status, outputs, cost and failures of a run, and the approvals it waits for.",
    input: z.strictObject({ run_id: runId }),
    output: STANDING_SCHEMA,
    annotations: LOOKING,
    handle: async ({ run_id }, { api }) => summaryResult(await currentSummary(api, await api.getRun(run_id))),
  }),
  defineTool({
    name: "list_runs",
    title: "List runs",
    description: "Lists runs of all workflows, newest first.",
    input: z.strictObject({
      status: z.enum(RUN_STATUSES).optional(),
      workflow: z.string().optional().describe("Only runs of this workflow"),
      ...page,
    }),
    annotations: LOOKING,
    handle: async (filter, { api }) => {
      const { data, nextCursor } = await api.listRuns(defined(filter));
      const runs = data.map(({ id, ...run }) => ({ runId: id, ...run }));
      const lines = runs.map((run) => `${run.runId}: ${run.workflow}, ${run.status}, ${run.createdAt}`);
      const found = { runs, ...(nextCursor === undefined ? {} : { nextCursor }) };
      return answer(found, lines.join("\n") || "There are no such runs.");
    },
  }),
  defineTool({
    name: "watch_run",
    title: "Watch a run",
    description:
      "Waits until a run has ended, needs a person, or wait_seconds have passed. Returns the events after after_event_id and " +
      "the state of the run. Call it again with lastEventId to continue.",
    input: z.strictObject({
      run_id: runId,
      after_event_id: z.number().int().min(0).optional().describe("Event id to continue after"),
      wait_seconds: waitSeconds,
    }),
    output: { ...STANDING_SCHEMA, properties: { ...STANDING_SCHEMA.properties, events: EVENT_SCHEMA } },
    annotations: LOOKING,
    handle: watchRun,
  }),
  defineTool({
    name: "cancel_run",
    title: "Cancel a run",
    description: "Ends a run: stops open work and starts nothing more. The cost so far stays booked.",
    input: z.strictObject({ run_id: runId, reason: z.string().optional().describe("Stored in the log of the run") }),
    output: STANDING_SCHEMA,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    handle: async ({ run_id, reason }, { api }) => {
      const run = await api.cancelRun(run_id, reason);
      return summaryResult(await currentSummary(api, run));
    },
  }),
];

function notExposed(workflow: string): { readonly code: string; readonly message: string } {
  const message = `The workflow "${workflow}" is not exposed over MCP; its manifest would have to say exposed: true.`;
  return { code: "not_exposed", message };
}

/** Starts a run and waits for it as requested. The result counts as an error when the run failed. */
export async function startAndWait(start: Start, fields: WaitFields, call: ToolCall): Promise<CallToolResult> {
  const { api, signal } = call;
  const idempotencyKey = fields.idempotency_key ?? call.idempotencyKey;
  const once = idempotencyKey === null ? {} : { idempotencyKey };
  const run = await api.startRun(start, { ...once, trigger: "mcp" });
  const summary = await waitFor(run, fields.wait_seconds, call).catch((error: unknown) => {
    // The run has started. A caller that may not read it still learns its id.
    if (error instanceof ApiProblem && error.status === 403) return minimalRunSummary(run);
    throw error;
  });
  if (signal.aborted && fields.cancel_on_abort) await api.cancelRun(run.id, "The caller that wanted the result left.");
  return summaryResult(summary, ["failed", "timed_out", "cancelled"].includes(summary.status));
}

async function waitFor(run: Run, seconds: number, call: ToolCall): Promise<RunSummary> {
  const { api, signal, report } = call;
  const shape = await shapeOf(api, run);
  const view = await waitForRun(api, { runId: run.id, outline: shape.outline, seconds, signal, report });
  return runSummaryOf(api, run, shape, view);
}

interface WatchFields {
  readonly run_id: string;
  readonly after_event_id?: number | undefined;
  readonly wait_seconds: number;
}

async function watchRun(fields: WatchFields, { api, signal, report }: ToolCall): Promise<CallToolResult> {
  const run = await api.getRun(fields.run_id);
  const shape = await shapeOf(api, run);
  const after = fields.after_event_id ?? 0;
  const events: Frame[] = [];
  const onFrame = (frame: Frame): void => {
    // Text deltas are many and contain little; the whole text comes with the output.
    if (frame.eventId <= after || frame.type === "node.stream.delta") return;
    events.push(frame);
    if (events.length > EVENTS_MAX) events.shift();
  };
  const wait = { runId: run.id, outline: shape.outline, seconds: fields.wait_seconds, signal, report, onFrame };
  const view = await waitForRun(api, wait);
  const summary = await runSummaryOf(api, run, shape, view);
  const shown = events.map(({ eventId, type, timestamp, payload }) => ({ eventId, type, timestamp, payload }));
  return answer({ ...summary, events: shown }, sentenceOf(summary));
}

async function currentSummary(api: SluiceClient, run: Run): Promise<RunSummary> {
  return runSummaryOf(api, run, await shapeOf(api, run), null);
}

function summaryResult(summary: RunSummary, isError = false): CallToolResult {
  return answer(summary, sentenceOf(summary), isError);
}
