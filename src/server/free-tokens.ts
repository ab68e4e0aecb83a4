import type { GatewayDirectory } from "../gateway/index.ts";
import { Refused } from "./problem.ts";

interface Given {
  readonly id: string;
  readonly callbackToken?: string | undefined;
}

/** Checks that no other gateway has one of the given tokens: the token of a callback identifies its gateway. */
export async function requireFreeTokens(
  directory: Pick<GatewayDirectory, "isTokenTaken">,
  orgId: string,
  given: readonly Given[],
): Promise<void> {
  const seen = new Set<string>();
  for (const { id, callbackToken } of given) {
    if (callbackToken === undefined) continue;
    if (seen.has(callbackToken) || (await directory.isTokenTaken(orgId, id, callbackToken))) {
      throw tokenInUse(id);
    }
    seen.add(callbackToken);
  }
}

export function tokenInUse(id: string, more = ""): Refused {
  const detail = `The callback_token of "${id}" belongs to another gateway; give every gateway its own.${more}`;
  return new Refused("token_in_use", detail);
}
