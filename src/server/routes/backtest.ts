import { z } from "zod";
import { type BacktestReport, backtestSchema, jsonObject } from "../../contract/index.ts";
import { getOwn, type Json, type JsonObject } from "../../core/base/index.ts";
import type { Policy } from "../../core/governance/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import { BACKTEST_VERDICTS_MAX, backtestPolicy, type PolicyBacktest } from "../../governance/index.ts";
import { policyOf, readManifestList, readSpec, type SpecProblem, specSchema } from "../../registry/index.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { readMoment } from "../moment-query.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { invalidRequest } from "../shape.ts";

const { $schema: _dialect, ...described } = z.toJSONSchema(specSchema("Policy"), {
  io: "input",
  unrepresentable: "any",
});

const manifest = {
  type: "object",
  required: ["kind", "name", "spec"],
  properties: { kind: { const: "Policy" }, name: { type: "string" }, spec: { type: "object" } },
} as const;

const backtestBody = z.strictObject({
  policy: jsonObject.meta({
    description: "A Policy manifest (kind, name, spec), or its spec with an optional name",
    anyOf: [described, manifest],
  }),
  since: z
    .string()
    .max(40)
    .optional()
    .describe("Start: ISO 8601, or a duration before now, such as 30d. Default: all stored verdicts"),
});

export const backtestRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/policies/backtest",
    operation: "policies.backtest",
    summary: `Evaluates a draft of a policy on the newest ${BACKTEST_VERDICTS_MAX} verdicts, and shows which would have changed.`,
    permission: "governance:read",
    body: { schema: backtestBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false },
    replies: {
      200: { description: "Number of verdicts that would have changed, and examples", schema: backtestSchema },
    },
    handle: tryDraft,
  }),
];

async function tryDraft(call: Call<z.output<typeof backtestBody>, undefined>): Promise<Response> {
  const { services, principal, body } = call;
  const since = readMoment("since", body.since, services.config.now());
  const draft = await requireDraft(call, body.policy);
  const found = await backtestPolicy(services.store, principal.orgId, draft, since ?? 0);
  return json(onWire(draft, since, found));
}

const DRAFT_NAME = "draft";

/** Returns the draft as the version it would become. It replaces a policy of the same name. */
async function requireDraft({ services, principal }: AnyCall, written: JsonObject): Promise<Policy> {
  const { name, spec } = draftOf(written);
  const read = readSpec("Policy", name, spec);
  if (!read.ok) throw invalidDraft(read.problems);
  const before = await services.store.getEntry(principal.orgId, "policy", name);
  const now = services.config.now();
  const revision = (before?.revision ?? 0) + 1;
  const entry = { id: name, revision, body: read.body, createdAt: now, updatedAt: now, savedBy: null };
  return policyOf(entry);
}

type AnyCall = Pick<Call<unknown, unknown>, "services" | "principal">;

function draftOf(written: JsonObject): { readonly name: string; readonly spec: Json } {
  if (!Object.hasOwn(written, "kind") && !Object.hasOwn(written, "spec")) {
    const { name = DRAFT_NAME, ...spec } = written;
    if (typeof name === "string") return { name, spec };
    throw invalidRequest([{ code: "wrong_type", message: '"policy.name" must be text.', path: "policy.name" }]);
  }
  const [manifest] = readManifestList(written);
  const problems = manifest?.problems ?? [];
  if (problems.length > 0) throw invalidDraft(problems);
  const kind = getOwn(written, "kind");
  if (kind !== "Policy") {
    const message = `Only a Policy can be tried, not ${JSON.stringify(kind)}.`;
    throw invalidRequest([{ code: "bad_enum", message, path: "policy.kind" }]);
  }
  return { name: manifest?.name ?? DRAFT_NAME, spec: manifest?.spec ?? null };
}

function invalidDraft(problems: readonly SpecProblem[]) {
  return invalidRequest(
    problems.map(({ code, message, path, hint }) => ({
      code,
      message,
      path: path === "" ? "policy" : `policy.${path}`,
      ...(hint === undefined ? {} : { hint }),
    })),
  );
}

function onWire(draft: Policy, since: number | null, found: PolicyBacktest): BacktestReport {
  const { counts, examples, ...rest } = found;
  return {
    policy: { name: draft.name, version: draft.version },
    since: since === null ? null : isoFromEpochMs(since),
    ...rest,
    counts: counts.map((pair) => ({ ...pair })),
    examples: examples.map(({ id, at, isMatch: _always, ...example }) => ({
      verdictId: id,
      ...example,
      at: isoFromEpochMs(at),
    })),
    notes: notesOn(draft),
  };
}

function notesOn({ category, isEnabled, enforcement, action }: Policy): string[] {
  const notes: string[] = [];
  if (!isEnabled) notes.push("The draft is not enabled, so that it decides nothing.");
  if (category === "run_creation") {
    notes.push("A run_creation policy is asked when a run is started, and no verdicts are kept of that.");
  }
  const isQuiet = enforcement !== "hard" || action === "warn" || action === "log";
  if (isQuiet) notes.push(`A ${enforcement} policy with the action ${action} never changes a verdict.`);
  return notes;
}
