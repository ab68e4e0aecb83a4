import type { Json } from "../core/base/index.ts";
import type { Redactor } from "../core/redaction/index.ts";
import type { AdapterResult } from "../adapter/index.ts";

/** A result without the secrets this Bridge knows. The words of the interface itself are left alone. */
export function redactResult(result: AdapterResult, redactor: Redactor | undefined): AdapterResult {
  if (redactor === undefined || result.status === "deferred") return result;
  const clean = <T>(value: T): T => redactor.json(value as Json) as T;
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
