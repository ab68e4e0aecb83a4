import { type AdapterHooks, type AdapterRequest, toolCallId } from "../../adapter/index.ts";
import { isJsonObject, type Json, utf8Length } from "../../core/base/index.ts";
import type { SessionHook, SessionHooks, ToolHookInput } from "./sdk.ts";
import type { SessionOrder } from "./session-options.ts";

/** Timeout of a hook, in seconds. A held call waits in the running session until the attempt's deadline ends both. */
const ANSWER_WITHIN_S = 20 * 24 * 3_600;
const RESULT_BYTES_MAX = 262_144;

/**
 * Requests a ruling on every call of a session before it is made, and reports its result. A call that cannot be judged
 * is denied. An allowed call must still pass the rules of the configuration.
 */
export function judgeTools(
  request: AdapterRequest,
  { tools, rules }: SessionOrder,
  { tool: ask, toolResult: report, onLog }: AdapterHooks,
): SessionHooks | undefined {
  if (ask === undefined || report === undefined) return undefined;
  const callIds = new Map<string, string>();
  const startedAt = new Map<string, number>();
  let count = 0;

  const before: SessionHook = async ({ tool_name: tool = "", tool_input: input, tool_use_id: useId = "" }) => {
    // Other tools of the session belong to the SDK itself and have no effect outside.
    if (!tools.includes(tool)) return {};
    const args = jsonOf(input);
    if (!isJsonObject(args)) return deny("The arguments of a tool must be a JSON object.");
    const callId = callIdOf(request, count);
    count += 1;
    try {
      const ruling = await ask({ callId, tool, args, waits: true });
      if (ruling.disposition === "deny") return deny(ruling.reason);
      if (ruling.disposition === "suspend") return deny("A person has to decide, and this session cannot wait for it.");
      callIds.set(useId, callId);
      startedAt.set(useId, performance.now());
      if (ruling.note === undefined) return {};
      // The SDK would allow changed args without checking them against a rule that allows only some uses.
      if (!rules.includes(tool))
        return deny(`The rules of ${tool} cannot be checked for args that a person has changed.`);
      return allow(ruling.args, ruling.note);
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      onLog({ level: "warning", message: `A call of ${tool} could not be judged and is denied: ${reason}` });
      return deny("The call could not be judged.");
    }
  };

  const after =
    (isError: boolean): SessionHook =>
    async (input) => {
      const { tool_use_id: useId = "" } = input;
      const callId = callIds.get(useId);
      if (callId === undefined) return {};
      const durationMs = performance.now() - (startedAt.get(useId) ?? performance.now());
      try {
        await report({ callId, result: resultOf(input), isError, durationMs });
      } catch (thrown) {
        onLog({ level: "warning", message: `A result could not be reported: ${String(thrown)}` });
        return { continue: false, stopReason: "The attempt is over." };
      }
      return {};
    };

  return { PreToolUse: hook(before), PostToolUse: hook(after(false)), PostToolUseFailure: hook(after(true)) };
}

function hook(each: SessionHook) {
  return [{ hooks: [each], timeout: ANSWER_WITHIN_S }];
}

/** Maximum calls per execution and executions per attempt. Beyond them, call ids would collide. */
const CALLS_MAX = 10_000;
const SEGMENTS_MAX = 100;

/** Returns a call id from the range of this execution, so that its calls differ from those of earlier executions. */
function callIdOf({ idempotencyKey, attempt, segment = 0 }: AdapterRequest, count: number): string {
  const first = ((attempt - 1) * SEGMENTS_MAX + segment) * CALLS_MAX;
  return toolCallId(idempotencyKey, 0, first + count);
}

function deny(reason: string) {
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: reason,
    },
  } as const;
}

function allow(updatedInput: Readonly<Record<string, unknown>>, additionalContext: string) {
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "allow",
      permissionDecisionReason: additionalContext,
      updatedInput,
      additionalContext,
    },
  } as const;
}

function resultOf({ tool_response: response, error }: ToolHookInput): Json {
  const result = jsonOf(response ?? error);
  const text = JSON.stringify(result);
  return utf8Length(text) <= RESULT_BYTES_MAX ? result : `${text.slice(0, RESULT_BYTES_MAX / 4)}…`;
}

/** Converts a value from the session's process to JSON. */
function jsonOf(value: unknown): Json {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as Json);
}
