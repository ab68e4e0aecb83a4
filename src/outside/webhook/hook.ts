import { getOwn, isJsonObject, type Json, type JsonObject } from "../../core/base/index.ts";
import type { SecretBox } from "../../gateway/index.ts";
import type { Hook } from "../../store/index.ts";
import { keysOf, verify, type Verification } from "./signature.ts";

/** After a secret was replaced, the one before it is good for so long. */
export const HOOK_OVERLAP_MS = 24 * 3_600_000;

/** Where the secret of a hook is sealed for. */
export function hookPlace(orgId: string, workflow: string): string {
  return `${orgId}/hook/${workflow}`;
}

/** A message as it came in. */
export interface IncomingMessage {
  readonly id: string;
  readonly timestamp: string;
  readonly signatures: string;
  readonly body: Uint8Array;
}

/** Whose secret signed a message; otherwise the best reason why none did. */
export function findSigner(
  hooks: readonly Hook[],
  message: IncomingMessage,
  box: SecretBox,
  now: number,
): { readonly hook: Hook } | { readonly reason: Exclude<Verification, "good"> } {
  let reason: Exclude<Verification, "good"> = "bad_signature";
  for (const hook of hooks) {
    const verdict = verify(hookKeys(hook, box, now), message, message.signatures, message.body, now);
    if (verdict === "good") return { hook };
    if (verdict === "bad_timestamp") reason = verdict;
  }
  return { reason };
}

function hookKeys(hook: Hook, box: SecretBox, now: number): readonly Uint8Array[] {
  const { orgId, workflow, secret, previousSecret, previousUntil } = hook;
  const isOverlapping = previousSecret !== null && (previousUntil ?? 0) > now;
  return [secret, ...(isOverlapping ? [previousSecret] : [])].flatMap((sealed) => {
    const opened = box.open(sealed, hookPlace(orgId, workflow));
    return opened === undefined ? [] : keysOf(opened);
  });
}

/**
 * The args a message means: what stands under `args` when there is nothing else; the body itself when all of it is
 * declared; the whole body as the arg `payload` when there is one; otherwise the body, which the later check refuses.
 */
export function argsOfMessage(
  body: JsonObject,
  declared: Readonly<Record<string, { readonly type?: string }>>,
): JsonObject {
  const keys = Object.keys(body);
  if (keys.every((key) => Object.hasOwn(declared, key))) return body;
  const args: Json | undefined = getOwn(body, "args");
  if (keys.length === 1 && args !== undefined && isJsonObject(args)) return args;
  const payload = Object.hasOwn(declared, "payload") ? declared["payload"] : undefined;
  return payload !== undefined && (payload.type ?? "object") === "object" ? { payload: body } : body;
}
