/** The caller's identity, and browser sessions. */
import { z } from "zod";
import { type Answered, moment } from "./field.ts";
import { organisationSchema } from "./organisation.ts";

export const sessionSchema = z.object({
  organisation: z.string().nullable().describe("Null: a person who has named none of several, or is a member of none"),
  keyId: z.string().describe("The id the caller acts under: of a key or a person, or oidc: and the subject of a token"),
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
  person: z
    .object({ id: z.string(), email: z.string().nullable(), groups: z.array(z.string()) })
    .nullable()
    .describe("The person behind the key, token or session; null: not known"),
  organisations: z.array(organisationSchema).describe("Those the person is a member of, or that of the key"),
  answersAs: z
    .array(z.string())
    .describe("The names of approver lists under which the caller answers: own ones, and as a deputy those of others"),
  sessionId: z.string().nullable().describe("Null: the request carries a key or a token"),
  csrfToken: z.string().nullable().describe("For X-Sluice-CSRF on every request of this session that is not GET"),
});
export type Session = Answered<typeof sessionSchema>;

export const browserSessionSchema = z.object({
  id: z.string(),
  isCurrent: z.boolean().describe("The one this request belongs to"),
  person: z.string().nullable(),
  key: z.string().nullable().describe("The key it was opened with, when it is no person's"),
  label: z.string(),
  userAgent: z.string(),
  ip: z.string().describe("As the server saw it; of a proxy, where there is one"),
  createdAt: moment,
  lastSeenAt: moment.describe("Accurate to a minute"),
  expiresAt: moment.describe("The latest end; 12 hours without use end it as well"),
});
export type BrowserSession = Answered<typeof browserSessionSchema>;

export const sessionsQuery = z.object({
  scope: z
    .enum(["own", "organisation"])
    .default("own")
    .describe("organisation: of all its members and keys, which needs keys:manage"),
});
