import { Overloaded, TooManyOpenRuns } from "../driver/index.ts";
import { BadCursor, StoreUnavailable, UnstorableText } from "../store/index.ts";
import type { ApiConfig } from "./config.ts";
import { Refused } from "./problem.ts";

/** The answer to an error. Only errors meant for the caller say more than that they happened. */
export function refusedFor({ onTrouble }: Pick<ApiConfig, "onTrouble">, error: Error, request: string): Refused {
  if (error instanceof Refused) return error;
  if (error instanceof BadCursor)
    return new Refused("bad_cursor", "No list gave this cursor; leave it out to begin at the start.");
  if (error instanceof UnstorableText) return new Refused("text_unstorable", `${error.message}.`);
  if (error instanceof Overloaded) {
    const seconds = String(Math.max(1, Math.ceil(error.retryAfterMs / 1_000)));
    return new Refused("overloaded", "The server has more to do than it can take on.", {
      headers: { "retry-after": seconds },
    });
  }
  if (error instanceof TooManyOpenRuns) {
    const seconds = String(Math.ceil(error.retryAfterMs / 1_000));
    return new Refused("too_many_open_runs", `The organisation has ${error.max} open runs and may not have more.`, {
      headers: { "retry-after": seconds },
    });
  }
  onTrouble(request, error);
  if (error instanceof StoreUnavailable) {
    return new Refused("not_ready", "The database cannot be reached.", { headers: { "retry-after": "2" } });
  }
  return new Refused("internal_error", "Something went wrong inside Sluice; the request id leads to it in the log.");
}
