import { z } from "zod";
import { getOwn, isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import { ACTIONS, ANYONE, type ApprovalRule, EFFECT_GUARANTEES, type ToolPattern } from "../core/definition/index.ts";
import type { Tool } from "../core/governance/index.ts";
import { type Entry, everyEntry, type RegistryStore } from "../store/index.ts";
import { anyJson, checked, name, readBody, spec } from "./field.ts";
import { duration, durationMsOf, rateOf, rateSpec } from "./limit-field.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";
import { APPROVAL_KEYS, approvalFields, approvalRuleOf, stepFieldProblems } from "./step-field.ts";

const REDACTED_MAX = 100;
const PATH_LENGTH_MAX = 256;

const argPath = checked(
  z.string().max(PATH_LENGTH_MAX),
  (path) => /^[^.\s]+(?:\.[^.\s]+)*$/.test(path),
  "must be a path into the args, such as card.number",
  { code: "bad_name", hint: "Names with dots between them; * stands for any member or element: items.*.card." },
);

export const toolSpec = spec({
  name: name.describe("Tools the manifest applies to: server/tool, or the name alone; * stands for any characters"),
  server: name.nullish().describe("Servers whose tools the manifest applies to; * stands for any characters"),
  trusted: z
    .boolean()
    .default(false)
    .describe("Whether the servers' own hints about their tools (read-only, destructive) are used"),
  action: z
    .enum(ACTIONS)
    .nullish()
    .describe("Action of a call. When several manifests match, the strictest action applies"),
  effects: z
    .enum(EFFECT_GUARANTEES)
    .nullish()
    .describe("Whether a call whose result was lost is repeated. When several manifests match, at_most_once applies"),
  rate: rateSpec
    .nullish()
    .describe("Maximum number of calls of one agent in a window of this many seconds; further ones are denied"),
  approval: anyJson.optional().describe("required, or a map with approvers and the other fields of an approval"),
  redact: z
    .array(argPath)
    .max(REDACTED_MAX)
    .default([])
    .describe("Paths of args whose values are not stored in verdicts"),
  timeout: duration.nullish().describe("Maximum duration of a call"),
});

export function toolProblems(written: JsonObject): readonly SpecProblem[] {
  const server = getOwn(written, "server") ?? null;
  const problems = approvalProblems(getOwn(written, "approval") ?? null);
  if (getOwn(written, "trusted") !== true || server !== null) return problems;
  const message = `"trusted" needs "server": whose word counts.`;
  return [...problems, specProblem("missing_field", ["server"], message, { hint: `Add "server".` })];
}

/** `required` allows the answer of any approver; a map names them, with the fields of a step. */
function approvalProblems(approval: Json): readonly SpecProblem[] {
  if (approval === null || approval === "required") return [];
  if (!isJsonObject(approval)) {
    const message = `"approval" must be required, or a map with ${APPROVAL_KEYS.join(", ")}.`;
    return [specProblem("wrong_type", ["approval"], message, { hint: "Write approval: required." })];
  }
  const unknownKeys = Object.keys(approval).filter((key) => !APPROVAL_KEYS.some((known) => known === key));
  return [
    ...unknownKeys.map((key) =>
      specProblem("unknown_key", ["approval", key], `"${key}" is not a key of an approval.`, {
        isAtKey: true,
        hint: `It has ${APPROVAL_KEYS.join(", ")}.`,
      }),
    ),
    ...stepFieldProblems(approvalFields(approval)).map(({ code, at, message, isAtKey = false, hint }) =>
      specProblem(code, ["approval", ...at], message, { isAtKey, hint }),
    ),
  ];
}

export function toolOf({ id, body }: Entry): Tool {
  const written = readBody(toolSpec, body);
  return {
    id,
    name: written.name,
    server: written.server ?? null,
    isTrusted: written.trusted,
    action: written.action ?? null,
    effects: written.effects ?? null,
    rate: rateOf(written.rate),
    approval: ruleOf(written.approval ?? null),
    redact: written.redact,
    timeoutMs: durationMsOf(written.timeout),
  };
}

function ruleOf(approval: Json): ApprovalRule | null {
  if (approval === null) return null;
  return isJsonObject(approval) ? approvalRuleOf(approvalFields(approval)) : ANYONE;
}

/** Returns the tools whose manifest sets the action of a call, or trusts their server to report it. */
export async function knownTools(store: RegistryStore, orgId: string): Promise<readonly ToolPattern[]> {
  const tools = (await everyEntry(store, orgId, "tool")).map(toolOf);
  return tools.filter(({ action, isTrusted }) => action !== null || isTrusted);
}
