/** The caller's identity, and browser sessions. */
import { z } from "zod";
import { type Answered, moment } from "./field.ts";
import { organisationSchema } from "./organisation.ts";

export const sessionSchema = z.object({
  organisation: z
    .string()
    .nullable()
    .describe(
      "The organisation of the request; null for a person who has chosen none of several, or is not a member of any",
    ),
  keyId: z.string().describe("Id of the caller: of a key or a person, or oidc: and the subject of a token"),
  label: z.string(),
  permissions: z.array(z.string()),
  agent: z.string().nullable().describe("Agent the key belongs to; null for a person"),
  expiresAt: z.iso.datetime().nullable(),
  approvers: z
    .enum(["enforced", "advisory"])
    .describe("advisory: any key with governance:approve may answer every approval. Set by the operator"),
  connect: z.array(z.string()).describe("Origins, besides this server, that the console may call"),
  person: z
    .object({ id: z.string(), email: z.string().nullable(), groups: z.array(z.string()) })
    .nullable()
    .describe("Person behind the key, token or session; null when not known"),
  organisations: z.array(organisationSchema).describe("Organisations of the person, or the organisation of the key"),
  answersAs: z
    .array(z.string())
    .describe("Names in approver lists that the caller answers as: its own, and as a deputy those of others"),
  sessionId: z.string().nullable().describe("Id of the session; null when the request has a key or a token"),
  csrfToken: z.string().nullable().describe("Value of X-Sluice-CSRF for every request of this session except GET"),
});
export type Session = Answered<typeof sessionSchema>;

export const browserSessionSchema = z.object({
  id: z.string(),
  isCurrent: z.boolean().describe("Whether this request belongs to the session"),
  person: z.string().nullable(),
  key: z.string().nullable().describe("Id of the key the session was opened with; null for a person"),
  label: z.string(),
  userAgent: z.string(),
  ip: z.string().describe("Address of the client as the server saw it; behind a proxy, that of the proxy"),
  createdAt: moment,
  lastSeenAt: moment.describe("Time of the last request, accurate to a minute"),
  expiresAt: moment.describe("Latest time at which the session ends. It also ends after 12 hours without a request"),
});
export type BrowserSession = Answered<typeof browserSessionSchema>;

export const sessionsQuery = z.object({
  scope: z
    .enum(["own", "organisation"])
    .default("own")
    .describe("organisation: sessions of all its members and keys. Requires keys:manage"),
});
