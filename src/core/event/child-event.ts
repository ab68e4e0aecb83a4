import { z } from "zod";
import { count, onNode } from "./payload.ts";
import { RUN_STATUSES } from "./status.ts";

/** The payloads of the events about runs started by a node. */
export const CHILD_PAYLOADS = {
  "child.started": z.object({
    ...onNode,
    childRunId: z.string(),
    workflow: z.string(),
    /** The tool call that this child run executes. Absent when the node itself is the child run. */
    callId: z.string().optional(),
    /** Path of the block it runs. Absent when it runs another workflow. */
    block: z.string().optional(),
    /** The earlier run of the same block whose results are kept. Absent when the block starts over. */
    sourceRunId: z.string().optional(),
    /** Number of values passed to it. Absent when there are none. */
    handoffs: count.optional(),
  }),
  "child.finished": z.object({
    ...onNode,
    childRunId: z.string(),
    status: z.enum(RUN_STATUSES),
    /** For a block: events its steps have taken, as `step id`. Absent when there are none. */
    taken: z.array(z.string()).optional(),
  }),
} as const;
