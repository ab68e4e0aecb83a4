import type { JsonObject } from "../../src/core/base/index.ts";
import type { Policy } from "../../src/core/governance/index.ts";
import { policyOf, readSpec } from "../../src/registry/index.ts";

/** A policy as it is read from its spec. */
export function policyFrom(name: string, spec: JsonObject): Policy {
  const read = readSpec("Policy", name, spec);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return policyOf({ id: name, revision: 1, body: read.body, createdAt: 0, updatedAt: 0, savedBy: null });
}
