import { digestText } from "../../../src/core/base/index.ts";
import type { ChildPreparer, DurableDriver } from "../../../src/driver/index.ts";
import type { RunRecord } from "../../../src/store/index.ts";
import type { KnownChild } from "./books.ts";
import type { SceneWorkflow } from "./scene.ts";

/** Starts whatever a step of the scene refers to, by its name. */
export function preparerOf(workflows: readonly SceneWorkflow[]): ChildPreparer {
  return {
    prepare: async ({ orgId, runId, traceId }, { workflow, childRunId, nodeId, attempt, recursionDepth }) => {
      const found = workflows.find(({ name }) => name === workflow.name);
      if (found === undefined) return { kind: "refused", message: `the scene has no ${workflow.name}` };
      const launch = {
        orgId,
        runId: childRunId,
        workflow: found.name,
        version: 1,
        definitionHash: digestText(found.source),
        args: {},
        trigger: "parent",
        startedBy: null,
        parent: { runId, nodeId, attempt, recursionDepth, traceId },
      };
      return { kind: "launch", launch };
    },
  };
}

const NO_TOKENS = { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, cachedTokens: 0 };

/** A report of a child that has ended. */
export function childReport(
  { runId, nodeId, attempt }: KnownChild,
  { status }: RunRecord,
  costMicros: number,
): Parameters<DurableDriver["submit"]>[2] {
  return {
    type: "child_finished",
    nodeId,
    attempt,
    childRunId: runId,
    status,
    outputs: {},
    costMicros,
    tokens: NO_TOKENS,
  };
}
