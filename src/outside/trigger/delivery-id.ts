import { createHash, randomUUID } from "node:crypto";
import type { Json } from "../../core/base/index.ts";
import { walk } from "../../core/expression/index.ts";
import type { Delivered, HookSource } from "../../registry/index.ts";
import type { IncomingMessage } from "./verify/scheme.ts";
import { SCHEMES } from "./verify/schemes.ts";

const ID = /^[\x20-\x7e]{1,255}$/;

/** Returns the id of a delivery, or null when the configured place contains none. */
export function deliveryIdOf(source: HookSource, message: IncomingMessage, delivered: Delivered): string | null {
  const { verify, idFrom } = source;
  if (idFrom !== null) return idText(walk({ ...delivered }, [idFrom.part, ...idFrom.path]));
  const own = idText(SCHEMES[verify].idOf(message, delivered.body) ?? undefined);
  if (own !== null) return own;
  const signature = signatureOf(source, message);
  // Without a signature every message is a new delivery; with one, equal bytes are the same delivery.
  return signature === null ? randomUUID() : digestOf(signature, message.body);
}

function idText(value: Json | undefined): string | null {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && ID.test(text) ? text : null;
}

function signatureOf(source: HookSource, { header }: IncomingMessage): string | null {
  switch (source.verify) {
    case "basic":
    case "bearer":
    case "none":
      return null;
    default:
      return SCHEMES[source.verify]
        .needs(source)
        .map((name) => header(name) ?? "")
        .join("\n");
  }
}

function digestOf(signature: string, body: Uint8Array): string {
  return `sha256:${createHash("sha256").update(signature).update("\n").update(body).digest("hex")}`;
}
