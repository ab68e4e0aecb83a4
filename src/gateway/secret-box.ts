import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

/** Seals what must be kept and read again: AES-256-GCM, bound to the place it is kept at. */
export interface SecretBox {
  seal(text: string, place: string): string;
  /** Undefined when it was sealed by another key or for another place, or is no sealed text at all. */
  open(sealed: string, place: string): string | undefined;
}

const VERSION = "v1";
const NONCE_BYTES = 12;
/** A shorter tag would be taken too, and could be guessed. */
const TAG_BYTES = 16;

/** `secret`: any text; its hash is the key. */
export function createSecretBox(secret: string): SecretBox {
  const key = createHash("sha256").update("sluice secret box\0").update(secret, "utf8").digest();
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
      try {
        const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64url"), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(Buffer.from(place, "utf8"));
        decipher.setAuthTag(Buffer.from(tag, "base64url"));
        return Buffer.concat([decipher.update(Buffer.from(body, "base64url")), decipher.final()]).toString("utf8");
      } catch {
        return undefined;
      }
    },
  };
}
