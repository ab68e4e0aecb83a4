import type { Redactor } from "../core/redaction/index.ts";
import { type Json, type JsonObject, sameJson } from "../core/base/index.ts";
import type { AdapterResult, CallRuling, TurnHooks } from "../adapter/index.ts";

/** Returns a result without the secrets that this Bridge knows. Field names and codes of the interface are not changed. */
export function redactResult(result: AdapterResult, redactor: Redactor | undefined): AdapterResult {
  if (redactor === undefined || result.status === "deferred") return result;
  const clean = <T>(value: T): T => redactor.json(value as Json) as T;
  if (result.status === "suspended") return clean(result);
  const { model, messages, sessionId } = result;
  const shared = {
    ...(model === undefined ? {} : { model: redactor.text(model) }),
    ...(sessionId === undefined ? {} : { sessionId: redactor.text(sessionId) }),
    ...(messages === undefined ? {} : { messages: clean(messages) }),
  };
  if (result.status === "failed") return { ...result, ...shared, message: redactor.text(result.message) };
  return {
    ...result,
    ...shared,
    ...(result.stdout === undefined ? {} : { stdout: redactor.text(result.stdout) }),
    ...(result.outputs === undefined ? {} : { outputs: clean(result.outputs) }),
    ...(result.envelope === undefined ? {} : { envelope: clean(result.envelope) }),
  };
}

/** Redacts the reports of a turn. A call with unchanged args is made with the adapter's own, unredacted args. */
export function redactedTurn({ round, tool, toolResult }: TurnHooks, redactor: Redactor | undefined): TurnHooks {
  if (redactor === undefined) return { round, tool, toolResult };
  const clean = <T>(value: T): T => redactor.json(value as Json) as T;
  const own = (ruling: CallRuling, args: JsonObject): CallRuling =>
    ruling.disposition === "allow" && sameJson(ruling.args, clean(args)) ? { ...ruling, args } : ruling;
  return {
    round: async (report) => {
      const reply = await round(clean(report));
      if (reply.next === "stop") return reply;
      return {
        ...reply,
        rulings: reply.rulings.map((ruling, index) => own(ruling, report.calls?.[index]?.args ?? {})),
      };
    },
    tool: async (asked) => own(await tool(clean(asked)), asked.args),
    toolResult: (report) => toolResult(clean(report)),
  };
}
