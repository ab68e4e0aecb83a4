/** Webhooks: deliveries of signed messages to other systems, and the hooks that receive signed messages. */
import { z } from "zod";
import { type Answered, moment } from "./field.ts";

export const deliveryStateSchema = z.enum(["pending", "failed", "delivered", "given_up"]);

export const deliverySchema = z.object({
  id: z.string().describe("The webhook-id it is sent under, however often"),
  type: z.string(),
  recipient: z
    .string()
    .nullable()
    .describe("One of several addresses of a channel; null: the webhook or channel itself"),
  state: deliveryStateSchema.describe("failed: it will be tried again"),
  attempts: z.number().int().nonnegative(),
  nextAttemptAt: moment.nullable(),
  lastStatus: z.number().int().nullable().describe("What the receiver answered last"),
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
    .describe("whsec_ and base64, or any text; one is made when there is none"),
});

/** The hook of a workflow, through which signed messages may start its runs. */
export const hookSchema = z.object({
  workflow: z.string(),
  set: z.boolean().describe("Whether signed messages may start runs"),
  url: z.string().describe("Where to send them"),
  createdAt: moment.nullable(),
  updatedAt: moment.nullable(),
  previousUntil: moment.nullable().describe("How long the secret before the present one is good, too"),
});
export type Hook = Answered<typeof hookSchema>;

export const savedHookSchema = hookSchema.extend({
  secret: z.string().optional().describe("Shown once, when it was made here"),
});
export type SavedHook = Answered<typeof savedHookSchema>;
