import { z } from "zod";
import { count, micros, onNode } from "./payload.ts";
import { tokensSchema } from "./payload-parts.ts";

export const COST_PAYLOADS = {
  "cost.recorded": z.object({
    ...onNode,
    costMicros: micros,
    tokens: tokensSchema,
    model: z.string().nullable().optional(),
    /** Which price the cost was made with; `reported`: the one who reported it names none. */
    priceId: z.string().optional(),
    late: z.boolean().optional(),
    /** Adapter calls of the attempt beyond its first. */
    extraCalls: count.optional(),
    /** The round of an agent's turn it was spent in; absent: not in a round. `segment`: the execution; absent: the first. */
    round: count.optional(),
    segment: count.optional(),
    childRunId: z.string().optional(),
  }),
} as const;
