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
  name: z.string().describe("For people; its id as long as it has none"),
  roles: z.array(z.string()).describe("The caller's roles there"),
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
          "starts_per_minute, starts_per_minute_per_key, open_runs, nodes_per_second, storage_bytes or streams",
        ),
      limit: z.number().nullable().describe("Null: as much as it likes"),
      used: z.number().describe("Of streams those of the process that answers"),
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
    .describe("An admin key, when a key without a person made the organisation; its secret is shown this once"),
});
export type MadeOrganisation = Answered<typeof madeOrganisationSchema>;
