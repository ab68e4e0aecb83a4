/** Gateways: the places of execution. */
import { z } from "zod";
import { type Answered, count, moment } from "./field.ts";

export const gatewayStatusSchema = z.enum(["healthy", "degraded", "offline", "unknown"]);

export const gatewaySchema = z.object({
  id: z.string(),
  name: z.string().nullable(),
  environment: z.string().nullable(),
  url: z.string().nullable().describe("Address of the Bridge; null for the Bridge inside the server"),
  default: z.boolean(),
  minTrustLevel: count,
  costRank: count.describe("Relative cost of running there. Gateways with a lower rank are preferred"),
  capabilities: z.array(z.string()),
  providers: z.array(z.string()),
  defaultProvider: z.string().nullable(),
  status: gatewayStatusSchema,
  reason: z.enum(["outbound_refused"]).optional().describe("Reason why the gateway is offline although it may answer"),
  detail: z.string().optional().describe("Description of the reason, and what the operator can do"),
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
