import { z } from "zod";

export const placementSchema = z.object({
  /** The gateway the run is pinned to; absent: routing chooses for each node. */
  gateway: z.string().optional(),
  /** Where the choice comes from. The default gateway takes whatever fits it, the others take everything. */
  from: z.enum(["run", "deployment", "default"]).optional(),
  environment: z.string().optional(),
  /** Who takes each role. */
  roleBindings: z.record(z.string(), z.string()).optional(),
  /** Where agents are deployed, if the workflow is not. */
  agents: z.array(z.object({ agent: z.string(), gateway: z.string(), environment: z.string().optional() })).optional(),
  /** What the caller that started the run named, for its child runs and restarts. */
  named: z
    .object({ gateway: z.string().optional(), roleBindings: z.record(z.string(), z.string()).optional() })
    .optional(),
});
/** Where a run and its roles belong, as registered when it started. */
export type Placement = z.infer<typeof placementSchema>;
