import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

/** Seals stored texts that must be readable again: AES-256-GCM, bound to the place where each is stored. */
export interface SecretBox {
  seal(text: string, place: string): string;
  /** Undefined when it was sealed by another key or for another place, or is not a sealed text. */
  open(sealed: string, place: string): string | undefined;
}

const VERSION = "v1";
const NONCE_BYTES = 12;
/** A shorter tag would be accepted too, and could be guessed. */
const TAG_BYTES = 16;
const EMPTY = Buffer.alloc(0);

/** `secret` is any text; its hash is the key. Texts sealed with one of the `former` secrets can be opened, too. */
export function createSecretBox(secret: string, former: readonly string[] = []): SecretBox {
  const key = keyOf(secret);
  const keys = [key, ...former.map(keyOf)];
  return {
    seal(text, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      cipher.setAAD(Buffer.from(place, "utf8"));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return [VERSION, nonce, cipher.getAuthTag(), body]
        .map((part) => (typeof part === "string" ? part : part.toString("base64url")))
        .join(".");
    },
    open(sealed, place) {
      const [version, nonce = "", tag = "", body = "", ...rest] = sealed.split(".");
      if (version !== VERSION || rest.length > 0) return undefined;
      for (const one of keys) {
        const text = decipher(one, [nonce, tag, body], place);
        if (text !== undefined) return text;
      }
      return undefined;
    },
  };
}

function keyOf(secret: string): Uint8Array {
  return createHash("sha256").update("sluice secret box\0").update(secret, "utf8").digest();
}

function decipher(key: Uint8Array, parts: readonly string[], place: string): string | undefined {
  const [nonce = EMPTY, tag = EMPTY, body = EMPTY] = parts.map((part) => Buffer.from(part, "base64url"));
  try {
    const cipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(place, "utf8"));
    cipher.setAuthTag(tag);
    return Buffer.concat([cipher.update(body), cipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
