/** The memory of agents. */
import { z } from "zod";
import type { Answered } from "./field.ts";

export const memoryEntrySchema = z.object({
  profile: z.string().describe("Name of the memory"),
  at: z.iso.datetime(),
  workflow: z.string(),
  runId: z.string(),
  nodeId: z.string(),
  attempt: z.number().int().positive(),
  text: z.string().describe("Beginning of the agent's answer"),
});
export type MemoryEntry = Answered<typeof memoryEntrySchema>;
