import { z } from "zod";

export const placementSchema = z.object({
  /** The gateway the run is pinned to. Absent when routing chooses one for each node. */
  gateway: z.string().optional(),
  /** The origin of the choice. The default gateway runs only work that fits it, the others run everything. */
  from: z.enum(["run", "deployment", "default"]).optional(),
  environment: z.string().optional(),
  /** The agent for each role. */
  roleBindings: z.record(z.string(), z.string()).optional(),
  /** Deployments of agents, when the workflow itself has none. */
  agents: z.array(z.object({ agent: z.string(), gateway: z.string(), environment: z.string().optional() })).optional(),
  /** Names set by the caller that started the run, for its child runs and restarts. */
  named: z
    .object({ gateway: z.string().optional(), roleBindings: z.record(z.string(), z.string()).optional() })
    .optional(),
});
/** Gateway and role bindings of a run, as registered when it started. */
export type Placement = z.infer<typeof placementSchema>;
