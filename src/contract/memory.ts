/** The memory of agents. */
import { z } from "zod";
import type { Answered } from "./field.ts";

export const memoryEntrySchema = z.object({
  profile: z.string().describe("The memory it is kept in"),
  at: z.iso.datetime(),
  workflow: z.string(),
  runId: z.string(),
  nodeId: z.string(),
  attempt: z.number().int().positive(),
  text: z.string().describe("The beginning of what the agent answered"),
});
export type MemoryEntry = Answered<typeof memoryEntrySchema>;
