import type { GatewayDirectory } from "../gateway/index.ts";
import { Refused } from "./problem.ts";

interface Given {
  readonly id: string;
  readonly callbackToken?: string | undefined;
}

/** The token of a callback identifies its gateway, so two gateways cannot have the same. */
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
