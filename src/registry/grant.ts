import { z } from "zod";
import { getOwn, jsonToText, type JsonObject } from "../core/base/index.ts";
import { didYouMean } from "../core/definition/index.ts";
import { type Grant, GRANT_FACTS } from "../core/governance/index.ts";
import type { Entry } from "../store/index.ts";
import { factExpressionProblems, keptExpression } from "./condition.ts";
import { epochMsOf, instant, name, readBody, spec, text } from "./field.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";

export const grantSpec = spec({
  tool: name.describe("Tools that are covered: server/tool, or the name alone; * stands for any characters"),
  where: z
    .union([z.string(), z.boolean()], { error: "must be an expression" })
    .nullish()
    .describe("Expression over tool.args that limits the grant to calls for which it is true. Default: all calls"),
  run: name.nullish().describe("Run whose calls are covered"),
  agent: name.nullish().describe("Agent whose calls are covered, in all runs. Either this or run"),
  until: instant.describe("Time at which the grant expires"),
  reason: text.nullish().describe("Reason shown to people"),
  approval: name.nullish().describe("Approval the grant was given with; absent when it was registered"),
  by: text.nullish().describe("Person who gave the grant with an approval"),
});

export function grantProblems(written: JsonObject): readonly SpecProblem[] {
  const where = getOwn(written, "where");
  return [...coveredProblems(written), ...(typeof where === "string" ? whereProblems(where) : [])];
}

/** Requires exactly one of run and agent: a grant for everything would be a policy without a name. */
function coveredProblems(written: JsonObject): readonly SpecProblem[] {
  const has = (key: string): boolean => (getOwn(written, key) ?? null) !== null;
  if (has("run") !== has("agent")) return [];
  const hint = `Write one of "run" and "agent".`;
  return has("run")
    ? [
        specProblem("conflicting_fields", ["agent"], "A grant covers a run or an agent, not both.", {
          isAtKey: true,
          hint,
        }),
      ]
    : [specProblem("missing_field", ["run"], "A grant must name whose calls it covers.", { hint })];
}

function whereProblems(where: string): readonly SpecProblem[] {
  return factExpressionProblems({
    field: "where",
    text: where,
    facts: GRANT_FACTS,
    reader: "the grant",
    unseen: ({ text: path, position, segments }) => ({
      message: `"where" speaks of "${path}" at character ${position + 1}, which a grant does not see.`,
      hint: didYouMean(String(segments[0]), ["tool"]) ?? "A grant sees tool.args.",
    }),
  });
}

export function grantOf({ id, body }: Entry): Grant {
  const { tool, where, run = null, agent = null, until } = readBody(grantSpec, body);
  return {
    id,
    tool,
    where: where === undefined ? null : keptExpression(jsonToText(where)),
    run,
    agent,
    until: epochMsOf(until),
  };
}
