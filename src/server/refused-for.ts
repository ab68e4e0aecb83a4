import { MissingPackage } from "../core/base/index.ts";
import { Overloaded, TooManyOpenRuns } from "../driver/index.ts";
import { StorageFull } from "../governance/index.ts";
import { BadCursor, OrganisationMoving, UnstorableText } from "../store/index.ts";
import { Refused } from "./problem.ts";

/** Returns the response to an error that the caller may see; null when the error must be reported to the operator instead. */
export function refusedFor(error: Error): Refused | null {
  if (error instanceof Refused) return error;
  if (error instanceof BadCursor)
    return new Refused("bad_cursor", "No list gave this cursor; leave it out to begin at the start.");
  if (error instanceof UnstorableText) return new Refused("text_unstorable", `${error.message}.`);
  if (error instanceof OrganisationMoving) {
    return new Refused("organisation_moving", "It is on its way to another cell; try again in a moment.", {
      headers: { "retry-after": "1" },
    });
  }
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
  if (error instanceof StorageFull) {
    const seconds = String(Math.ceil(error.retryAfterMs / 1_000));
    const detail = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`;
    return new Refused("storage_limit", detail, { headers: { "retry-after": seconds } });
  }
  if (error instanceof MissingPackage) return new Refused("package_missing", `On this server, ${error.message}`);
  return null;
}
