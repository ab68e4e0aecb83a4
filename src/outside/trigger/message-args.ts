import { getOwn, isJsonObject, type JsonObject } from "../../core/base/index.ts";

/** The args of a workflow by name. */
export type DeclaredArgs = Readonly<Record<string, { readonly type?: string }>>;

/**
 * The args a message means: what stands under `args` when there is nothing else; the body itself when all of it is
 * declared; the whole body as the arg `payload` when there is one; otherwise the body, which the later check refuses.
 */
export function argsOfMessage(body: JsonObject, declared: DeclaredArgs): JsonObject {
  const keys = Object.keys(body);
  if (keys.every((key) => Object.hasOwn(declared, key))) return body;
  const args = getOwn(body, "args");
  if (keys.length === 1 && args !== undefined && isJsonObject(args)) return args;
  const payload = Object.hasOwn(declared, "payload") ? declared["payload"] : undefined;
  return payload !== undefined && (payload.type ?? "object") === "object" ? { payload: body } : body;
}
