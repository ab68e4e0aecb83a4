import { z } from "zod";
import { appliedSchema, applyQuery, manifestSchema, type SentProblem } from "../../contract/index.ts";
import { getOwn, type Json, type JsonObject } from "../../core/base/index.ts";
import {
  type AppliedManifest,
  type ApplyPlan,
  type ApplySurroundings,
  gatewayOf,
  isManifestKind,
  MANIFEST_KINDS,
  type Manifest,
  MANIFESTS_MAX,
  NEW_GATEWAY,
  planApply,
  readManifestList,
  readManifestStream,
} from "../../registry/index.ts";
import { BODY_BYTES_MAX, JSON_TYPE, YAML_TYPES } from "../body.ts";
import { checkOutboundOf } from "../outbound-check.ts";
import { requireFreeTokens, tokenInUse } from "../free-tokens.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { hashSecret } from "../secret.ts";
import { invalidRequest } from "../shape.ts";
import { nullIfChanged, WRITING } from "./registries.ts";

const described = z.toJSONSchema(z.union([z.array(manifestSchema), manifestSchema]), {
  io: "input",
  unrepresentable: "any",
});

export const applyRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/apply",
    operation: "apply",
    summary:
      "Applies manifests, all of them or none: a stream of YAML documents, or a JSON list. " +
      "Each kind also needs the permission of its own route.",
    // Reading shows existing entries; the permission to write depends on the kinds in the body.
    permission: "governance:read",
    query: applyQuery,
    body: {
      schema: z.custom<Json>().meta(described),
      bytesMax: BODY_BYTES_MAX.definition,
      types: [JSON_TYPE, ...YAML_TYPES],
      isOptional: false,
    },
    replies: { 200: { description: "Result, or result without dryRun, for each manifest", schema: appliedSchema } },
    handle: apply,
  }),
];

async function apply(call: Call<Json, z.output<typeof applyQuery>>): Promise<Response> {
  const { services, principal, query, body, raw } = call;
  const manifests = raw === null ? readManifestList(body) : readStream(raw);
  if (manifests.length > MANIFESTS_MAX) {
    const message = `There are ${manifests.length} manifests; at most ${MANIFESTS_MAX} are applied together.`;
    throw invalidRequest([{ code: "yaml_too_large", message, path: "" }]);
  }
  requireWriting(call, manifests);
  await services.gateways.directory.refresh(principal.orgId);
  const plan = await planApply(manifests, surroundingsOf(call));
  if (!plan.isValid) throw invalid(plan.applied);
  const given = plan.gateways.map(({ id, tokens }) => ({ id, callbackToken: getOwn(tokens, "callback_token") }));
  await requireFreeTokens(services.gateways.directory, principal.orgId, given);
  if (query.dryRun !== "true" && plan.changes.length > 0) {
    const at = services.config.now();
    const applying = services.store.applyEntries(principal.orgId, plan.changes, at, plan.audit);
    // Another server has changed one of them meanwhile, so all are planned again.
    if ((await applying.catch(nullIfChanged)) === null) return apply(call);
    await linkGateways(call, plan.gateways);
    await services.governance.registered.refresh(principal.orgId);
  }
  return json({ applied: plan.applied });
}

function readStream(raw: Uint8Array): readonly Manifest[] {
  const { manifests, problems } = readManifestStream(raw);
  if (problems.length > 0) throw invalidRequest(problems);
  return manifests;
}

type AnyCall = Pick<Call<unknown, unknown>, "services" | "principal">;

function requireWriting({ principal }: AnyCall, manifests: readonly Manifest[]): void {
  for (const { kind } of manifests) {
    if (!isManifestKind(kind) || principal.permissions.has(WRITING[kind])) continue;
    const { title } = MANIFEST_KINDS[kind];
    throw new Refused("forbidden", `To write ${title} the key needs the permission ${WRITING[kind]}.`);
  }
}

/** Returns all problems of the manifests, with the planned results of the valid ones: nothing was written. */
function invalid(applied: readonly AppliedManifest[]): Refused {
  const problems = applied.flatMap(({ problems: found = [] }, index): readonly SentProblem[] =>
    found.map(({ path, ...rest }) => ({ ...rest, path: `[${index}]${path === "" ? "" : `.${path}`}` })),
  );
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  const detail = `Nothing was applied. ${first?.message ?? ""}${more}`;
  return new Refused("invalid_request", detail, { problems: problems.slice(0, PROBLEMS_MAX), more: { applied } });
}

const PROBLEMS_MAX = 50;

function surroundingsOf({ services, principal }: AnyCall): ApplySurroundings {
  const { store, config, gateways } = services;
  const { orgId, keyId } = principal;
  return {
    store,
    orgId,
    at: config.now(),
    actor: keyId,
    box: gateways.box,
    isKeyed: gateways.isKeyed,
    checkOutbound: checkOutboundOf(services),
    newTokens: async (gatewayId, tokens) => {
      if (Object.keys(tokens).length === 0) return [];
      const link = (await store.listGatewayLinks(orgId)).find((one) => one.gatewayId === gatewayId);
      const { dispatch_token: dispatch, callback_token: callback } = tokens;
      const isNewDispatch = dispatch !== undefined && gateways.directory.dispatchToken(orgId, gatewayId) !== dispatch;
      const isNewCallback = callback !== undefined && link?.callbackHash !== hashSecret(callback);
      return [...(isNewDispatch ? ["dispatch_token"] : []), ...(isNewCallback ? ["callback_token"] : [])];
    },
    builtInGateway: (gatewayId): JsonObject | undefined => {
      const isLocal = gateways.directory.find(orgId, gatewayId)?.isLocal ?? false;
      return isLocal ? { ...NEW_GATEWAY } : undefined;
    },
  };
}

/** Links the changed gateways with their tokens. When a gateway is applied again, missing tokens are added. */
async function linkGateways({ services, principal }: AnyCall, changed: ApplyPlan["gateways"]): Promise<void> {
  for (const { id, body, tokens } of changed) {
    const [dispatchToken, callbackToken] = [getOwn(tokens, "dispatch_token"), getOwn(tokens, "callback_token")];
    const isSaved = await services.gateways.directory.put(principal.orgId, id, gatewayOf(body), {
      ...(dispatchToken === undefined ? {} : { dispatchToken }),
      ...(callbackToken === undefined ? {} : { callbackToken }),
    });
    // The token was free when the manifests were checked, but another request has taken it since.
    if (!isSaved) throw tokenInUse(id, " The manifests were applied, without the tokens of this gateway.");
  }
}
