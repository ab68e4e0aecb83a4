import { digestJson, type Json } from "../core/base/index.ts";
import type { LaunchIdempotency } from "../launch/index.ts";
import { Refused } from "./problem.ts";
import type { Call } from "./route.ts";

const KEY_LENGTH_MAX = 255;

/** Returns the idempotency key of a request for a run, bound to organisation, caller, workflow and content of the request. */
export function idempotencyOf(
  { request, principal }: Pick<Call<unknown, unknown>, "request" | "principal">,
  workflow: string,
  asked: Json,
): LaunchIdempotency | null {
  const written = request.headers.get("idempotency-key");
  if (written === null) return null;
  const key = /^"(.*)"$/.exec(written)?.[1] ?? written;
  if (key.length < 1 || key.length > KEY_LENGTH_MAX || !/^[\x20-\x7e]+$/.test(key)) {
    const detail = `An Idempotency-Key has 1 to ${KEY_LENGTH_MAX} printable ASCII characters.`;
    throw new Refused("bad_idempotency_key", detail);
  }
  return { orgId: principal.orgId, keyId: principal.keyId, workflow, key, bodyHash: digestJson(asked) };
}
