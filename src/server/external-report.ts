import { z } from "zod";
import { type CallbackBody, callbackSchema, readSentCallback, withWarnings } from "../bridge/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import { type AttemptAddress, dispatchIdOf } from "../core/event/index.ts";
import { readPeerShape } from "./peer-shape.ts";

/** What an external service may report: the result and its cost. The ticket identifies the attempt. */
const externalSchema = callbackSchema
  .omit({ dispatchId: true, runId: true, stepId: true, attempt: true, startedAt: true, completedAt: true })
  .extend({ status: z.enum(["completed", "failed"]).default("completed") });

export function readExternalReport(
  sent: unknown,
  address: AttemptAddress,
  now: number,
): { readonly body: CallbackBody; readonly warnings: readonly string[] } {
  const { runId, nodeId, attempt } = address;
  const at = isoFromEpochMs(now);
  const { body, warnings } = readSentCallback(sent, now);
  const read = readPeerShape(externalSchema, body);
  return {
    body: {
      ...withWarnings(read, warnings),
      dispatchId: dispatchIdOf({ runId, nodeId, attempt }),
      runId,
      stepId: nodeId,
      attempt,
      startedAt: at,
      completedAt: at,
    },
    warnings,
  };
}
