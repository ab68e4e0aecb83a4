import { z } from "zod";
import { type CallbackBody, callbackSchema } from "../bridge/index.ts";
import type { AttemptAddress } from "../driver/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import { Refused } from "./problem.ts";

/** What a service outside may say: the result and what it cost, nothing about whose it is, which the ticket says. */
const externalSchema = callbackSchema
  .omit({ dispatchId: true, runId: true, stepId: true, attempt: true, startedAt: true, completedAt: true })
  .extend({ status: z.enum(["completed", "failed"]).default("completed") });

export function readExternalReport(sent: unknown, address: AttemptAddress, now: number): CallbackBody {
  const result = externalSchema.safeParse(sent);
  if (!result.success) {
    const problems = result.error.issues.map(({ path, message }) => ({
      code: "wrong_type",
      message: `"${path.join(".")}": ${message}`,
      path: path.join("."),
    }));
    throw new Refused("invalid_request", problems[0]?.message ?? "The report is not valid.", { problems });
  }
  const { runId, nodeId, attempt } = address;
  const at = isoFromEpochMs(now);
  return {
    ...result.data,
    dispatchId: `${runId}/${nodeId}/${attempt}`,
    runId,
    stepId: nodeId,
    attempt,
    startedAt: at,
    completedAt: at,
  };
}
