import type { GatewayDirectory } from "../gateway/index.ts";
import { Refused } from "./problem.ts";

interface Given {
  readonly id: string;
  readonly callbackToken?: string | undefined;
}

/** A callback is believed for its token, which must therefore say which gateway it comes from. */
export async function requireFreeTokens(
  directory: Pick<GatewayDirectory, "isTokenTaken">,
  orgId: string,
  given: readonly Given[],
): Promise<void> {
  const seen = new Set<string>();
  for (const { id, callbackToken } of given) {
    if (callbackToken === undefined) continue;
    if (seen.has(callbackToken) || (await directory.isTokenTaken(orgId, id, callbackToken))) {
      const detail = `The callback_token of "${id}" belongs to another gateway; give every gateway its own.`;
      throw new Refused("token_in_use", detail);
    }
    seen.add(callbackToken);
  }
}
