import { z } from "zod";
import { at, count, jsonObject } from "./payload.ts";
import { placementSchema } from "./placement.ts";
import { PLACE_STANDINGS, PRIORITIES, WHEN_FULL } from "./status.ts";

export const START_PAYLOADS = {
  "run.started": z.object({
    workflow: z.string(),
    version: z.number().int().nullable(),
    hash: z.string(),
    args: jsonObject,
    nodeCount: count,
    trigger: z.string(),
    parentRunId: z.string().optional(),
    recursionDepth: count,
    /** The run this one was restarted or branched from. */
    sourceRunId: z.string().optional(),
    /** What a person wrote in place of the text of a node, in a branch; it stays with runs started from this one. */
    prompts: z.record(z.string(), z.object({ text: z.string(), by: z.string().optional() })).optional(),
    /** Args that were taken from outputs of other runs. */
    inputsFrom: z
      .record(z.string(), z.object({ runId: z.string(), nodeId: z.string(), output: z.string() }))
      .optional(),
    /** Values a parent's node handed to its args; absent: none. */
    handoffs: count.optional(),
    /** The person or program that started it, as people know it. */
    startedBy: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    /** The run that began the family, and when; absent: this one. */
    root: z.object({ runId: z.string(), createdAt: at }).optional(),
    /** How many runs before it have started one another by events; absent: none. */
    hops: count.optional(),
    /** The key it counts under, where the workflow or its trigger limits how many runs are open; absent: neither does. */
    place: z
      .object({
        key: z.string(),
        standing: z.enum(PLACE_STANDINGS),
        /** What its trigger allows; absent: its workflow says so itself. */
        rule: z.object({ limit: count, whenFull: z.enum(WHEN_FULL) }).optional(),
      })
      .optional(),
    /** Keys its ancestors hold; absent: none. */
    heldKeys: z.array(z.string()).optional(),
    /** Of a block: events its steps have taken in rounds and attempts before, as `step id`; absent: none. */
    taken: z.array(z.string()).optional(),
    /** Path of the block of the file it runs; absent: it runs the file itself. */
    block: z.string().optional(),
    /** Of a block: the run whose file it stands in, with what policies know of that one. */
    owner: z.object({ runId: z.string(), args: jsonObject, depth: count }).optional(),
    /** Runs of blocks that did not complete, of which this run continues with what they have, by node. */
    blocks: z.record(z.string(), z.object({ runId: z.string(), block: z.string() })).optional(),
    /** Absent: `normal`. */
    priority: z.enum(PRIORITIES).optional(),
    /** Absent in older logs: then what is registered at each moment holds. */
    placement: placementSchema.optional(),
  }),
};
