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
const source = z
  .enum(["claims", "assigned"])
  .describe("`claims`: set by the provider at sign-in. `assigned`: set by an admin");

const deputySchema = z.object({
  person: z.string().describe("Id of the member who answers in place of this member"),
  label: z.string(),
  from: moment,
  until: moment,
  isActive: z.boolean().describe("Whether the current time is between the two dates"),
});

export const personSchema = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string().nullable().describe("Email verified by the provider; null when there is none"),
  label: z.string().describe("Name of the person in lists"),
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
  person: word.describe("Id of another member"),
  from: z.iso.datetime({ offset: true }).optional().describe("Default: now"),
  until: z.iso.datetime({ offset: true }),
};

export const deputyBody = z.strictObject(deputyFields);
export type DeputyRequest = Asked<typeof deputyBody>;

export const memberBody = z.strictObject({
  roles: z.array(role).max(ROLES.length).optional().describe("Assigned roles. Roles from claims do not change"),
  groups: groupNames.optional().describe("Assigned groups. Groups from claims do not change"),
  deputy: z.strictObject(deputyFields).nullable().optional().describe("The deputy; null removes it"),
  disabled: z
    .boolean()
    .optional()
    .describe("Whether the person is disabled. Only for a person who is not a member of another organisation"),
});
export type MemberRequest = Asked<typeof memberBody>;
