/** Organisations: everything else belongs to one. */
import { z } from "zod";
import type { Answered, Asked } from "./field.ts";
import { pauseSchema } from "./pause.ts";
import { mintedKeySchema } from "./key.ts";

const organisationId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/,
    "Invalid organisation: 1 to 64 letters, digits, _, . or -, a letter or digit first",
  );
const organisationName = z
  .string()
  .regex(/^[^\p{Cc}\p{Surrogate}\p{Bidi_Control}]{1,100}$/u, "Invalid name: 1 to 100 printable characters");

export const organisationSchema = z.object({
  id: z.string(),
  name: z.string().describe("Display name; the id when no name is set"),
  roles: z.array(z.string()).describe("Roles of the caller in this organisation"),
  groups: z.array(z.string()),
});
export type Organisation = Answered<typeof organisationSchema>;

export const organisationPauseSchema = z.object({ id: z.string(), paused: pauseSchema.nullable() });
export type OrganisationPause = Answered<typeof organisationPauseSchema>;

export const organisationLimitsSchema = z.object({
  id: z.string(),
  limits: z.array(
    z.object({
      name: z
        .string()
        .describe(
          "Name of the limit: starts_per_minute, starts_per_minute_per_key, open_runs, nodes_per_second, storage_bytes or streams",
        ),
      limit: z.number().nullable().describe("Value of the limit; null when unlimited"),
      used: z.number().describe("Current usage. For streams: the streams of the answering process"),
    }),
  ),
});
export type OrganisationLimitsView = Answered<typeof organisationLimitsSchema>;

export const newOrganisationBody = z.strictObject({ id: organisationId, name: organisationName.optional() });
export type OrganisationRequest = Asked<typeof newOrganisationBody>;

export const organisationBody = z.strictObject({ name: organisationName });

export const madeOrganisationSchema = organisationSchema.extend({
  key: mintedKeySchema
    .nullable()
    .describe("Admin key, made when a key without a person created the organisation. Its secret is shown only once"),
});
export type MadeOrganisation = Answered<typeof madeOrganisationSchema>;
