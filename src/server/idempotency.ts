import { digestJson, type Json, type Problem } from "../core/base/index.ts";
import type { LaunchOutcome } from "../driver/index.ts";
import type { IdempotencyScope, RunRecord } from "../store/index.ts";
import { Refused, refusedBy } from "./problem.ts";
import { type Call, json } from "./route.ts";
import { runOnWire } from "./wire.ts";

const KEY_LENGTH_MAX = 255;

export type Idempotency = IdempotencyScope & { readonly bodyHash: string };

/** The key of a request that starts a run, bound to organisation, caller and workflow, and to what was asked. */
export function idempotencyOf(
  { request, principal }: Pick<Call<unknown, unknown>, "request" | "principal">,
  workflow: string,
  asked: Json,
): Idempotency | null {
  const written = request.headers.get("idempotency-key");
  if (written === null) return null;
  const key = /^"(.*)"$/.exec(written)?.[1] ?? written;
  if (key.length < 1 || key.length > KEY_LENGTH_MAX || !/^[\x20-\x7e]+$/.test(key)) {
    const detail = `An Idempotency-Key has 1 to ${KEY_LENGTH_MAX} printable ASCII characters.`;
    throw new Refused("bad_idempotency_key", detail);
  }
  return { orgId: principal.orgId, keyId: principal.keyId, workflow, key, bodyHash: digestJson(asked) };
}

/** The run this very request has started before, if any. */
export async function findRepeated(
  { services }: Pick<Call<unknown, unknown>, "services">,
  idempotency: Idempotency | null,
): Promise<RunRecord | undefined> {
  if (idempotency === null) return undefined;
  const found = await services.store.findIdempotent(idempotency);
  if (found === undefined) return undefined;
  if (found.bodyHash !== idempotency.bodyHash) {
    throw new Refused("idempotency_conflict", "The Idempotency-Key was used within a day for another body.");
  }
  return services.store.getRun(idempotency.orgId, found.runId);
}

export function launched(outcome: LaunchOutcome, warnings: readonly Problem[] = []): Response {
  switch (outcome.kind) {
    case "started": {
      const said = warnings.length === 0 ? {} : { warnings };
      return json({ ...runOnWire(outcome.run), ...said }, 201, { location: `/api/v1/runs/${outcome.run.runId}` });
    }
    case "repeated":
      return repeated(outcome.run);
    case "refused":
      throw refusedBy(outcome.refusal);
  }
}

function repeated(run: RunRecord): Response {
  return json(runOnWire(run), 200, { "idempotency-replayed": "true", location: `/api/v1/runs/${run.runId}` });
}
