/** Gateways: the places of execution. */
import { z } from "zod";
import { type Answered, count, moment } from "./field.ts";

export const gatewayStatusSchema = z.enum(["healthy", "degraded", "offline", "unknown"]);

export const gatewaySchema = z.object({
  id: z.string(),
  name: z.string().nullable(),
  environment: z.string().nullable(),
  url: z.string().nullable().describe("Null: in the server's own process"),
  default: z.boolean(),
  minTrustLevel: count,
  costRank: count.describe("What it costs to run there, relative to the others; less is taken first"),
  capabilities: z.array(z.string()),
  providers: z.array(z.string()),
  defaultProvider: z.string().nullable(),
  status: gatewayStatusSchema,
  reason: z.enum(["outbound_refused"]).optional().describe("Why it is offline whatever it would answer"),
  detail: z.string().optional().describe("The reason in words, and what the operator can do"),
  instanceId: z.string().nullable(),
  seenAt: moment.nullable(),
  history: z.array(z.object({ status: gatewayStatusSchema, at: moment })).optional(),
});
export type Gateway = Answered<typeof gatewaySchema>;

/** The answer to a Bridge that registers. */
export const bridgeRegisteredSchema = z.object({
  gatewayId: z.string(),
  callbackOrigin: z.string().optional(),
  tokens: z.object({ dispatchToken: z.string(), callbackToken: z.string() }).optional(),
});
