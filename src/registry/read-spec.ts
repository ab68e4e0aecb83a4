import type { z } from "zod";
import { getOwn, isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import { ALLOW_KEY, findSecretLiterals, SECRET_HINT } from "../core/definition/index.ts";
import { walk } from "../core/expression/index.ts";
import { agentSpec } from "./agent.ts";
import { alertBodyOf, alertProblems, alertSpec } from "./alert.ts";
import { budgetProblems, budgetSpec } from "./budget.ts";
import { channelProblems, channelSpec, CHANNEL_SECRETS } from "./channel.ts";
import { creditPlanProblems, creditPlanSpec } from "./credit-plan.ts";
import { deploymentProblems, deploymentSpec } from "./deployment.ts";
import { asBody } from "./field.ts";
import { functionProblems, functionSpec } from "./function.ts";
import { gatewayBodyOf, gatewaySpec } from "./gateway.ts";
import { MANIFEST_KINDS, type ManifestKind } from "./kind.ts";
import { grantProblems, grantSpec } from "./grant.ts";
import { lensProblems, lensSpec } from "./lens.ts";
import { libraryStepProblems, libraryStepSpec } from "./library-step.ts";
import { modelProblems, modelSpec } from "./model.ts";
import { nameProblems } from "./name.ts";
import { policyBodyOf, policyProblems, policySpec } from "./policy.ts";
import { retentionSpec } from "./retention.ts";
import { roleBindingSpec } from "./role-binding.ts";
import { scheduleSpec, timingProblems } from "./schedule.ts";
import { SECRET_VALUE, secretProblems, secretSpec } from "./secret.ts";
import { problemsOfIssues, specProblem, type SpecProblem } from "./spec-problem.ts";
import { teamBodyOf, teamProblems, teamSpec } from "./team.ts";
import { toolProblems, toolSpec } from "./tool.ts";
import { TRIGGER_SECRET, triggerProblems, triggerSpec } from "./trigger.ts";
import { webhookProblems, webhookSpec } from "./webhook.ts";
import { workflowProblems, workflowSpec } from "./workflow.ts";

export type SpecReading =
  | {
      readonly ok: true;
      /** The body to store: all written fields, with defaults added. */
      readonly body: JsonObject;
      /** Values that are stored separately and never shown. */
      readonly secrets?: Readonly<Record<string, string>>;
    }
  | { readonly ok: false; readonly problems: readonly SpecProblem[] };

interface SpecRule {
  readonly schema: z.ZodType<object>;
  /** Checks what a schema cannot express. Runs even after schema problems, and ignores values of the wrong type. */
  readonly problems?: (written: JsonObject, name: string) => readonly SpecProblem[];
  readonly toBody?: (written: JsonObject) => JsonObject;
  /** Paths of the values that are stored separately. */
  readonly secrets?: readonly string[];
}

/** The rule for the spec of each kind. */
const RULES: Readonly<Record<ManifestKind, SpecRule>> = {
  Agent: { schema: agentSpec },
  Gateway: {
    schema: gatewaySpec,
    secrets: ["dispatch_token", "callback_token"],
    toBody: (written) => ({ ...gatewayBodyOf(gatewaySpec.parse(written)) }),
  },
  Deployment: { schema: deploymentSpec, problems: deploymentProblems },
  Budget: { schema: budgetSpec, problems: budgetProblems },
  Policy: { schema: policySpec, problems: policyProblems, toBody: policyBodyOf },
  Lens: { schema: lensSpec.loose(), problems: (written, name) => lensProblems(name, written) },
  Team: { schema: teamSpec, problems: teamProblems, toBody: teamBodyOf },
  LibraryStep: { schema: libraryStepSpec, problems: (written, name) => libraryStepProblems(name, written) },
  Schedule: { schema: scheduleSpec, problems: (written) => timingProblems(written) },
  Webhook: { schema: webhookSpec, problems: webhookProblems, secrets: ["secret"] },
  Channel: { schema: channelSpec, problems: channelProblems, secrets: CHANNEL_SECRETS },
  Model: { schema: modelSpec, problems: (written, name) => modelProblems(name, written) },
  CreditPlan: { schema: creditPlanSpec, problems: creditPlanProblems },
  Retention: { schema: retentionSpec },
  Workflow: { schema: workflowSpec, problems: (written, name) => workflowProblems(name, written) },
  Alert: { schema: alertSpec, problems: alertProblems, toBody: alertBodyOf },
  Trigger: { schema: triggerSpec, problems: triggerProblems, secrets: [TRIGGER_SECRET] },
  Tool: { schema: toolSpec, problems: toolProblems },
  Function: { schema: functionSpec, problems: functionProblems },
  Grant: { schema: grantSpec, problems: grantProblems },
  Secret: { schema: secretSpec, problems: secretProblems, secrets: [SECRET_VALUE] },
  RoleBinding: { schema: roleBindingSpec },
};

/** Returns the schema of a kind, for the API description. */
export function specSchema(kind: ManifestKind): z.ZodType<object> {
  return RULES[kind].schema;
}

/** Kinds whose own reader handles the key that marks a text as not being a secret. */
const ALLOWING: readonly ManifestKind[] = ["Lens", "LibraryStep"];

/** Reads the spec of a manifest and reports all problems at once. Paths begin inside the spec, except for `name`. */
export function readSpec(kind: ManifestKind, name: string, sent: Json): SpecReading {
  const { schema, problems: look, toBody = asBody, secrets: hidden = [] } = RULES[kind];
  const { title } = MANIFEST_KINDS[kind];
  if (!isJsonObject(sent)) {
    const message = `The spec of ${title} must be a map.`;
    return { ok: false, problems: [...nameProblems(kind, name), specProblem("wrong_type", [], message)] };
  }
  const { [ALLOW_KEY]: isAllowed, ...rest } = sent;
  const written = ALLOWING.includes(kind) ? sent : rest;
  const parsed = schema.safeParse(written, { reportInput: true });
  const problems = [
    ...nameProblems(kind, name),
    ...literalProblems(kind, withoutPaths(sent, hidden)),
    ...withoutRepeats([
      ...(parsed.success ? [] : problemsOfIssues(parsed.error.issues, schema, title)),
      ...(look?.(written, name) ?? []),
    ]),
  ];
  if (!parsed.success || problems.length > 0) return { ok: false, problems };
  const full = asBody(parsed.data);
  const secrets = hidden.flatMap((path): [string, string][] => {
    const segments = path.split(".");
    const value = walk(full, segments);
    return typeof value === "string" ? [[segments.at(-1) ?? path, value]] : [];
  });
  const open = withoutPaths(full, hidden);
  const isKept = isAllowed === true && kind !== "Workflow";
  const body = isKept ? { ...toBody(open), [ALLOW_KEY]: true } : toBody(open);
  return { ok: true, body, ...(secrets.length === 0 ? {} : { secrets: Object.fromEntries(secrets) }) };
}

/** Reports texts that look like secrets. The text of a workflow is checked by its own reader, which knows where they are allowed. */
function literalProblems(kind: ManifestKind, sent: JsonObject): readonly SpecProblem[] {
  const isAllowed = getOwn(sent, ALLOW_KEY);
  const problems: SpecProblem[] = [];
  if (isAllowed !== undefined && typeof isAllowed !== "boolean") {
    problems.push(specProblem("wrong_type", [ALLOW_KEY], `"${ALLOW_KEY}" must be true or false.`));
  }
  for (const { path, message } of findSecretLiterals(sent, kind === "Workflow" ? ["source"] : [])) {
    problems.push(specProblem("secret_literal", path, message, { hint: SECRET_HINT }));
  }
  return problems;
}

/** Returns a copy of the map without the members that are stored separately. */
function withoutPaths(map: JsonObject, paths: readonly string[]): JsonObject {
  return paths.reduce((rest, path) => withoutMember(rest, path.split(".")), map);
}

function withoutMember(map: JsonObject, [key = "", ...inner]: readonly string[]): JsonObject {
  const member = getOwn(map, key);
  if (member === undefined) return map;
  const others = Object.entries(map).filter(([name]) => name !== key);
  if (inner.length === 0) return Object.fromEntries(others);
  return isJsonObject(member) ? { ...map, [key]: withoutMember(member, inner) } : map;
}

/** A schema and a reader may report the same problem; the later report is the better one. */
function withoutRepeats(problems: readonly SpecProblem[]): readonly SpecProblem[] {
  const byPlace = new Map<string, SpecProblem>();
  for (const problem of problems) byPlace.set(`${problem.code} ${problem.path} ${problem.message}`, problem);
  return [...byPlace.values()];
}
