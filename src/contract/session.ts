/** The holder of a key. */
import { z } from "zod";
import type { Answered } from "./field.ts";

export const sessionSchema = z.object({
  organisation: z.string(),
  keyId: z.string(),
  label: z.string(),
  permissions: z.array(z.string()),
  agent: z.string().nullable().describe("The agent the key belongs to; null: a person"),
  expiresAt: z.iso.datetime().nullable(),
  approvers: z
    .enum(["enforced", "advisory"])
    .describe(
      "advisory: any key with governance:approve may answer, also where others are asked; the operator has set it",
    ),
  connect: z.array(z.string()).describe("Origins besides this server that the console may call"),
});
export type Session = Answered<typeof sessionSchema>;
