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
    /** A person's texts that replace the texts of nodes in a branch. They also apply to runs started from this one. */
    prompts: z.record(z.string(), z.object({ text: z.string(), by: z.string().optional() })).optional(),
    /** Args taken from outputs of other runs. */
    inputsFrom: z
      .record(z.string(), z.object({ runId: z.string(), nodeId: z.string(), output: z.string() }))
      .optional(),
    /** Number of values a parent's node passed to the args. Absent when there are none. */
    handoffs: count.optional(),
    /** Readable name of the person or program that started the run. */
    startedBy: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    /** The first run of the family and its creation time. Absent when it is this run. */
    root: z.object({ runId: z.string(), createdAt: at }).optional(),
    /** Number of earlier runs in a chain of runs started by events. Absent when there are none. */
    hops: count.optional(),
    /** The run's concurrency key, when the workflow or its trigger limits the open runs. Absent when neither does. */
    place: z
      .object({
        key: z.string(),
        standing: z.enum(PLACE_STANDINGS),
        /** The limit set by the trigger. Absent when the workflow itself sets it. */
        rule: z.object({ limit: count, whenFull: z.enum(WHEN_FULL) }).optional(),
      })
      .optional(),
    /** Concurrency keys held by the ancestors. Absent when there are none. */
    heldKeys: z.array(z.string()).optional(),
    /** For a block: events its steps took in earlier rounds and attempts, as `step id`. Absent when there are none. */
    taken: z.array(z.string()).optional(),
    /** Path of the block to run. Absent when the run executes the whole file. */
    block: z.string().optional(),
    /** For a block: the run whose file contains it, with the facts about that run that policies read. */
    owner: z.object({ runId: z.string(), args: jsonObject, depth: count }).optional(),
    /** Runs of blocks that did not complete, by node. This run continues them with their results. */
    blocks: z.record(z.string(), z.object({ runId: z.string(), block: z.string() })).optional(),
    /** Absent for priority `normal`. */
    priority: z.enum(PRIORITIES).optional(),
    /** Absent in older logs. The current registrations then apply at each moment. */
    placement: placementSchema.optional(),
  }),
};
