/** Error responses (RFC 9457). */
import { z } from "zod";
import { type Answered, count } from "./field.ts";
import { explanationSchema } from "./verdict.ts";

/** One problem of a request. The codes are those of the checker, and a few of the API itself. */
export const sentProblemSchema = z.object({
  code: z.string(),
  message: z.string(),
  path: z.string(),
  line: count.optional(),
  column: count.optional(),
  hint: z.string().optional(),
});
export type SentProblem = Answered<typeof sentProblemSchema>;

/** An error response. `code` is for programs, `detail` is for people. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  code: z.string(),
  detail: z.string(),
  problems: z.array(sentProblemSchema).optional(),
  explanation: explanationSchema.optional().describe("Reason why a launch gate refused, and how to unblock it"),
  requestId: z.string(),
});
export type ProblemReply = Answered<typeof problemSchema>;
