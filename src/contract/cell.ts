/** Cells: the databases of an installation that has several, and the cell of each organisation. */
import { z } from "zod";
import { MOVE_STAGES } from "../core/event/index.ts";
import { type Answered, moment, word } from "./field.ts";

export const cellSchema = z.object({
  name: z.string(),
  database: z.string().describe("Hosts and name of the database, without user and password"),
  isDirectory: z.boolean().describe("Whether it keeps the directory"),
  isReady: z.boolean().describe("Whether the server that answers serves it"),
  accepts: z.boolean().describe("Whether new organisations may be placed there"),
  organisations: z.array(z.object({ id: z.string(), name: z.string().nullable() })),
});
export type CellView = Answered<typeof cellSchema>;

const comparedSchema = z.object({
  table: z.string(),
  rows: z.number().int(),
  digest: z.string().describe("Of all rows together, whatever their order"),
});

export const moveSchema = z.object({
  id: z.string(),
  organisation: z.string(),
  from: z.string(),
  to: z.string(),
  stage: z.enum(MOVE_STAGES),
  reason: z.string().nullable().describe("Why it failed; then the organisation is where it was"),
  askedBy: z.string().nullable(),
  createdAt: moment,
  updatedAt: moment,
  frozenAt: moment.nullable().describe("From when on nothing of the organisation could change"),
  switchedAt: moment.nullable().describe("Since when it lives in the other cell"),
  tables: z
    .array(comparedSchema)
    .nullable()
    .describe("What the cell it left held of it, counted when nothing there could change any more"),
});
export type MoveView = Answered<typeof moveSchema>;

export const moveBody = z.strictObject({ organisation: word, to: word.describe("The name of a cell") });

export const cellVerificationSchema = z.object({
  isGood: z.boolean(),
  problems: z.array(z.string()).describe("In what directory and cells disagree"),
  organisation: z
    .array(z.object({ cell: z.string(), tables: z.array(comparedSchema) }))
    .describe("What of the organisation that was asked for is where; one cell when all is well"),
});
export type CellVerification = Answered<typeof cellVerificationSchema>;
