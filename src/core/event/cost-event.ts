import { z } from "zod";
import { count, micros, onNode } from "./payload.ts";
import { tokensSchema } from "./payload-parts.ts";

export const COST_PAYLOADS = {
  "cost.recorded": z.object({
    ...onNode,
    costMicros: micros,
    tokens: tokensSchema,
    model: z.string().nullable().optional(),
    /** Id of the price used for the cost. `reported` when the report itself contained the cost without a price. */
    priceId: z.string().optional(),
    late: z.boolean().optional(),
    /** Adapter calls of the attempt beyond the first. */
    extraCalls: count.optional(),
    /** The round of the agent's turn. Absent outside a round. `segment`: the execution; absent for the first. */
    round: count.optional(),
    segment: count.optional(),
    childRunId: z.string().optional(),
  }),
} as const;
