import type { CheckOutbound, SpecProblem } from "../registry/index.ts";
import { Refused } from "./problem.ts";
import type { Services } from "./route.ts";

/** Asks the guard of this server whether a URL may be called; an app without one calls nothing. */
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
