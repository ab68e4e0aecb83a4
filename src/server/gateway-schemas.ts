/** Gateways as they go over the wire. */
import { z } from "zod";
import { OUTBOUND_REFUSED } from "../outbound/index.ts";
import { GATEWAY_STATUSES } from "../store/index.ts";

const count = z.number().int().nonnegative();
const moment = z.iso.datetime().describe("ISO 8601, UTC");

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
  status: z.enum(GATEWAY_STATUSES),
  reason: z.enum([OUTBOUND_REFUSED]).optional().describe("Why it is offline whatever it would answer"),
  detail: z.string().optional().describe("The reason in words, and what the operator can do"),
  instanceId: z.string().nullable(),
  seenAt: moment.nullable(),
  history: z.array(z.object({ status: z.enum(GATEWAY_STATUSES), at: moment })).optional(),
});

export const registeredSchema = z.object({
  gatewayId: z.string(),
  callbackOrigin: z.string().optional(),
  tokens: z.object({ dispatchToken: z.string(), callbackToken: z.string() }).optional(),
});
