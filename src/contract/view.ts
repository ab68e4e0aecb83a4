/** Views: saved lists of runs. */
import { z } from "zod";
import { type Answered, type Asked, moment, word } from "./field.ts";
import { runsQuery } from "./run.ts";

const NAME_LENGTH_MAX = 100;

/** The query of a list without its page parameters, as in the address of the list. */
const savedQuery = z
  .record(word, z.union([z.string().max(500), z.number(), z.array(z.string().max(300)).max(20)]))
  .superRefine((query, context) => {
    const { limit: _limit, cursor: _cursor, ...shape } = runsQuery.shape;
    const checked = z.strictObject(shape).safeParse(query);
    for (const issue of checked.error?.issues ?? []) {
      const keys = issue.code === "unrecognized_keys" ? issue.keys : [];
      if (keys.length === 0) context.addIssue({ code: "custom", path: [...issue.path], message: issue.message });
      for (const key of keys) context.addIssue({ code: "custom", path: [key], message: "Lists have no such filter" });
    }
  })
  .describe("Query parameters of /runs, except limit and cursor");

export const viewBody = z.strictObject({
  name: z
    .string()
    .trim()
    .regex(/^[^\p{Cc}\p{Surrogate}]+$/u, "Invalid name: printable characters only")
    .max(NAME_LENGTH_MAX),
  shared: z.boolean().default(false).describe("Whether all members of the organisation see the view"),
  query: savedQuery,
});
export type ViewRequest = Asked<typeof viewBody>;

export const viewSchema = z.object({
  id: z.string(),
  name: z.string(),
  shared: z.boolean(),
  isOwn: z.boolean().describe("Whether the caller saved the view"),
  query: savedQuery,
  createdAt: moment,
  updatedAt: moment,
});
export type SavedView = Answered<typeof viewSchema>;
