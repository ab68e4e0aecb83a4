/** Cells: the databases of an installation that has several, and the cell of each organisation. */
import { z } from "zod";
import { MOVE_STAGES } from "../core/event/index.ts";
import { type Answered, moment, word } from "./field.ts";

export const cellSchema = z.object({
  name: z.string(),
  database: z.string().describe("Hosts and name of the database, without user and password"),
  isDirectory: z.boolean().describe("Whether this cell stores the directory"),
  isReady: z.boolean().describe("Whether the answering server serves this cell"),
  accepts: z.boolean().describe("Whether new organisations may be placed in this cell"),
  organisations: z.array(z.object({ id: z.string(), name: z.string().nullable() })),
});
export type CellView = Answered<typeof cellSchema>;

const comparedSchema = z.object({
  table: z.string(),
  rows: z.number().int(),
  digest: z.string().describe("Digest of all rows, independent of their order"),
});

export const moveSchema = z.object({
  id: z.string(),
  organisation: z.string(),
  from: z.string(),
  to: z.string(),
  stage: z.enum(MOVE_STAGES),
  reason: z
    .string()
    .nullable()
    .describe(
      "Reason for the failure; the organisation then remains in its old cell. Null when the move has not failed",
    ),
  askedBy: z.string().nullable(),
  createdAt: moment,
  updatedAt: moment,
  frozenAt: moment.nullable().describe("Time from which the data of the organisation could not be changed"),
  switchedAt: moment.nullable().describe("Time at which the organisation was switched to the other cell"),
  tables: z
    .array(comparedSchema)
    .nullable()
    .describe("Rows of the organisation in the old cell, counted while they could not be changed"),
});
export type MoveView = Answered<typeof moveSchema>;

export const moveBody = z.strictObject({ organisation: word, to: word.describe("Name of the target cell") });

export const cellVerificationSchema = z.object({
  isGood: z.boolean(),
  problems: z.array(z.string()).describe("Differences between the directory and the cells"),
  organisation: z
    .array(z.object({ cell: z.string(), tables: z.array(comparedSchema) }))
    .describe("Data of the requested organisation, by cell. A correct installation has one cell here"),
});
export type CellVerification = Answered<typeof cellVerificationSchema>;
