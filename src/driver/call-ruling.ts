import type { CallRuling } from "../adapter/index.ts";
import type { ToolCall } from "../core/engine/index.ts";

/** Returns the decision about a call in the form sent to its adapter. */
export function rulingOf({ id: callId, args, isChanged, ruling, timeoutMs }: ToolCall): CallRuling {
  switch (ruling.kind) {
    case "allow": {
      const note = `A person has changed the arguments of this call; it was made with ${JSON.stringify(args)}.`;
      const limit = timeoutMs === null ? {} : { timeoutMs };
      return { disposition: "allow", callId, args, ...limit, ...(isChanged ? { note } : {}) };
    }
    case "deny": {
      const { reason, code, retryAfterMs } = ruling;
      const later = retryAfterMs === undefined ? {} : { retryAfterMs };
      return { disposition: "deny", callId, reason, ...(code === null ? {} : { code }), ...later };
    }
    case "hold":
    case "child":
      return { disposition: "suspend", callId };
  }
}
