import { getOwn, isJsonObject, type JsonObject } from "../../core/base/index.ts";

/** The args a workflow declares, by name. */
export type DeclaredArgs = Readonly<Record<string, { readonly type?: string }>>;

/**
 * Returns the args in a message: the body itself when the workflow declares all its keys; the value of `args` when it
 * is the only key; the whole body as the arg `payload` when that is declared; otherwise the body, which a later check
 * refuses.
 */
export function argsOfMessage(body: JsonObject, declared: DeclaredArgs): JsonObject {
  const keys = Object.keys(body);
  if (keys.every((key) => Object.hasOwn(declared, key))) return body;
  const args = getOwn(body, "args");
  if (keys.length === 1 && args !== undefined && isJsonObject(args)) return args;
  const payload = Object.hasOwn(declared, "payload") ? declared["payload"] : undefined;
  return payload !== undefined && (payload.type ?? "object") === "object" ? { payload: body } : body;
}
