import { z } from "zod";
import { count, onNode } from "./payload.ts";
import { RUN_STATUSES } from "./status.ts";

/** The payloads of the events about runs that a node has started. */
export const CHILD_PAYLOADS = {
  "child.started": z.object({
    ...onNode,
    childRunId: z.string(),
    workflow: z.string(),
    /** The tool call of an agent that it is; absent: the node itself is it. */
    callId: z.string().optional(),
    /** Path of the block it runs; absent: it runs another workflow. */
    block: z.string().optional(),
    /** The run of the same block whose results it keeps; absent: it starts over. */
    sourceRunId: z.string().optional(),
    /** Values that were handed to it; absent: none. */
    handoffs: count.optional(),
  }),
  "child.finished": z.object({
    ...onNode,
    childRunId: z.string(),
    status: z.enum(RUN_STATUSES),
    /** Of a block: events its steps have taken, as `step id`; absent: none. */
    taken: z.array(z.string()).optional(),
  }),
} as const;
