/** Webhooks: deliveries of signed messages to other systems, and the hooks that receive signed messages. */
import { z } from "zod";
import { type Answered, moment } from "./field.ts";

export const deliveryStateSchema = z.enum(["pending", "failed", "delivered", "given_up"]);

export const deliverySchema = z.object({
  id: z.string().describe("webhook-id of the delivery, the same for every try"),
  type: z.string(),
  recipient: z
    .string()
    .nullable()
    .describe("One of the addresses of a channel; null for the webhook or channel itself"),
  state: deliveryStateSchema.describe("failed: it will be tried again"),
  attempts: z.number().int().nonnegative(),
  nextAttemptAt: moment.nullable(),
  lastStatus: z.number().int().nullable().describe("Last HTTP status of the receiver"),
  lastError: z.string().nullable(),
  createdAt: moment,
  settledAt: moment.nullable(),
});
export type Delivery = Answered<typeof deliverySchema>;

const SECRET_LENGTH_MAX = 500;
const SECRET_LENGTH_MIN = 8;

export const hookBody = z.strictObject({
  secret: z
    .string()
    .min(SECRET_LENGTH_MIN)
    .max(SECRET_LENGTH_MAX)
    .regex(/^[\x20-\x7e]*$/, "Invalid text: printable ASCII")
    .optional()
    .describe("Secret for the signatures: whsec_ and base64, or any text. Default: made by the server"),
});

/** The hook of a workflow, through which signed messages may start its runs. */
export const hookSchema = z.object({
  workflow: z.string(),
  set: z.boolean().describe("Whether signed messages may start runs"),
  url: z.string().describe("Address to which messages are sent"),
  createdAt: moment.nullable(),
  updatedAt: moment.nullable(),
  previousUntil: moment.nullable().describe("Time until which the previous secret is accepted"),
});
export type Hook = Answered<typeof hookSchema>;

export const savedHookSchema = hookSchema.extend({
  secret: z.string().optional().describe("The secret, shown only once, when the server made it"),
});
export type SavedHook = Answered<typeof savedHookSchema>;
