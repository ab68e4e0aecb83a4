import type { CheckOutbound, SpecProblem } from "../registry/index.ts";
import { Refused } from "./problem.ts";
import type { Services } from "./route.ts";

/** Returns a check by this server's guard whether a URL may be called. An app without a guard allows all, as it calls none. */
export function checkOutboundOf({ gateways }: Pick<Services, "gateways">): CheckOutbound {
  return async (url, purpose) => (await gateways.outbound?.check(url, { isAnyPort: purpose !== "message" })) ?? null;
}

/** Refuses to save a URL the server would not call. */
export function requireOutbound(problems: readonly SpecProblem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  const detail = first.hint === undefined ? first.message : `${first.message} ${first.hint}`;
  throw new Refused("outbound_refused", detail, {
    problems: problems.map(({ code, message, path, hint }) => ({
      code,
      message,
      path,
      ...(hint === undefined ? {} : { hint }),
    })),
  });
}
