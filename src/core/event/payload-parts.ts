/** Payload parts shared by several events. */
import { z } from "zod";
import { count, json, jsonObject } from "./payload.ts";

export const envelopeSchema = z.object({
  kind: z.string(),
  artifactKind: z.string(),
  output: z.string(),
  data: json.optional(),
  media: json.optional(),
  metadata: jsonObject.optional(),
});
/** The result of a node, the same for every kind of node. */
export type Envelope = z.infer<typeof envelopeSchema>;

export const tokensSchema = z.object({
  inputTokens: count,
  outputTokens: count,
  thinkingTokens: count,
  cachedTokens: count,
});
export type Tokens = z.infer<typeof tokensSchema>;

export const countsSchema = z.object({
  completed: count,
  failed: count,
  skipped: count,
  cancelled: count,
  timedOut: count,
});
export type Counts = z.infer<typeof countsSchema>;

export const snapshotSchema = z.object({
  eventId: count,
  completed: z.array(z.string()),
  skipped: z.array(z.string()),
  cancelled: z.array(z.string()),
  variables: jsonObject,
  variableOverwriteOrder: z.array(z.string()),
  accumulatedOutputs: z.record(z.string(), jsonObject),
});
export type Snapshot = z.infer<typeof snapshotSchema>;
