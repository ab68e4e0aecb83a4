/** People: members of an organisation, with their roles, groups and deputies. */
import { z } from "zod";
import { type Answered, type Asked, moment, word } from "./field.ts";
import { ROLES } from "./key.ts";

const GROUPS_MAX = 100;

export const role = z.enum(ROLES);
/** A group name, used in approver lists as `role:x` and `team:x`. */
export const groupName = z
  .string()
  .regex(/^[^\p{Cc}\p{Surrogate}\p{Bidi_Control}]{1,100}$/u, "Invalid group: 1 to 100 printable characters");
export const groupNames = z.array(groupName).max(GROUPS_MAX);
const source = z.enum(["claims", "assigned"]).describe("By the provider at sign-in, or by an admin here");

const deputySchema = z.object({
  person: z.string().describe("Answers in this member's place"),
  label: z.string(),
  from: moment,
  until: moment,
  isActive: z.boolean().describe("Between its dates now"),
});

export const personSchema = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string().nullable().describe("Verified by the provider; null: none is"),
  label: z.string().describe("How lists show the person"),
  issuer: z.string(),
  subject: z.string(),
  roles: z.array(z.object({ name: z.string(), source })),
  groups: z.array(z.object({ name: z.string(), source })),
  deputy: deputySchema.nullable(),
  isDisabled: z.boolean(),
  joinedAt: moment,
});
export type Person = Answered<typeof personSchema>;

const deputyFields = {
  person: word.describe("The id of another member"),
  from: z.iso.datetime({ offset: true }).optional().describe("Default: now"),
  until: z.iso.datetime({ offset: true }),
};

export const deputyBody = z.strictObject(deputyFields);
export type DeputyRequest = Asked<typeof deputyBody>;

export const memberBody = z.strictObject({
  roles: z.array(role).max(ROLES.length).optional().describe("The assigned ones; those from claims stay"),
  groups: groupNames.optional().describe("The assigned ones; those from claims stay"),
  deputy: z.strictObject(deputyFields).nullable().optional().describe("Null: none"),
  disabled: z.boolean().optional().describe("Only for a person who is a member of no other organisation"),
});
export type MemberRequest = Asked<typeof memberBody>;
