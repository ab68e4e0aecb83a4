import type { z } from "zod";
import { reportedUsageSchema } from "../bridge/index.ts";
import type { SentProblem } from "../contract/index.ts";
import { formatPath } from "../core/base/index.ts";
import { Refused } from "./problem.ts";

const PROBLEMS_MAX = 50;
const USAGE_FIELDS: ReadonlySet<PropertyKey> = new Set(Object.keys(reportedUsageSchema.shape));

/** Returns the body of a peer in its required shape. Figures out of range have a code of their own, because they concern money. */
export function readPeerShape<S extends z.ZodType>(schema: S, sent: unknown): z.output<S> {
  const result = schema.safeParse(sent);
  if (result.success) return result.data;
  const { issues } = result.error;
  const problems = issues.slice(0, PROBLEMS_MAX).map(problemOf);
  const code = issues.some(isAboutUsage) ? "usage_range" : "invalid_request";
  throw new Refused(code, problems[0]?.message ?? "The report is not valid.", { problems });
}

function problemOf(issue: z.core.$ZodIssue): SentProblem {
  const path = formatPath(issue.path.map((segment) => (typeof segment === "number" ? segment : String(segment))));
  const message = `${path === "" ? "The body" : `"${path}"`}: ${issue.message}.`;
  return { code: isAboutUsage(issue) ? "usage_range" : "wrong_type", message, path };
}

function isAboutUsage({ path: [field] }: z.core.$ZodIssue): boolean {
  return field !== undefined && USAGE_FIELDS.has(field);
}
