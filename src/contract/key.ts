/** API keys of people and programs, and their permissions. */
import { z } from "zod";
import { type Answered, type Asked, moment, word } from "./field.ts";

/** All permissions a key may have. */
export const PERMISSIONS = [
  "workflow:read",
  "workflow:write",
  "workflow:execute",
  "run:read",
  "run:cancel",
  "run:delete",
  "governance:read",
  "governance:approve",
  "governance:write",
  "registry:write",
  "secret:write",
  "audit:read",
  "keys:manage",
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Named sets of permissions. */
export const ROLES = ["viewer", "author", "operator", "approver", "admin"] as const;
export type MemberRole = (typeof ROLES)[number];

export const keySchema = z.object({
  id: z.string(),
  label: z.string(),
  permissions: z.array(z.string()),
  agent: z.string().nullable(),
  createdBy: z
    .string()
    .nullable()
    .describe("Id of the key or token that created this key; null when the operator created it"),
  person: z.string().nullable().describe("Id of the person behind the key; null when not known"),
  createdAt: moment,
  expiresAt: moment.nullable(),
  revokedAt: moment.nullable(),
});
export type Key = Answered<typeof keySchema>;

export const mintedKeySchema = keySchema.extend({ key: z.string().describe("The secret; shown only once") });
export type MintedKey = Answered<typeof mintedKeySchema>;

export const mintBody = z.strictObject({
  label: word,
  role: z.enum(ROLES).optional(),
  permissions: z.array(z.enum(PERMISSIONS)).min(1).optional(),
  agent: word.optional().describe("Agent the key belongs to. Default: the key belongs to a person"),
  person: word.optional().describe("Member the key is made for. Default: the caller"),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
});
/** Only the server knows the list of permissions. A client passes on any names. */
export type KeyRequest = Omit<Asked<typeof mintBody>, "permissions"> & { readonly permissions?: readonly string[] };
