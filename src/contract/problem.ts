/** Answers that are errors (RFC 9457). */
import { z } from "zod";
import { type Answered, count } from "./field.ts";
import { explanationSchema } from "./verdict.ts";

/** One thing that is wrong with what was sent; the codes are those of the checker, and a few of the API's own. */
export const sentProblemSchema = z.object({
  code: z.string(),
  message: z.string(),
  path: z.string(),
  line: count.optional(),
  column: count.optional(),
  hint: z.string().optional(),
});
export type SentProblem = Answered<typeof sentProblemSchema>;

/** Programs read `code`, people read `detail`. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  code: z.string(),
  detail: z.string(),
  problems: z.array(sentProblemSchema).optional(),
  explanation: explanationSchema.optional().describe("Why a launch gate said no, and what would let it through"),
  requestId: z.string(),
});
export type ProblemReply = Answered<typeof problemSchema>;
