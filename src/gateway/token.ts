import { createHash, randomBytes } from "node:crypto";

export function hashToken(token: string): string {
  return createHash("sha256").update(token, "utf8").digest("hex");
}

export function randomToken(kind: string): string {
  return `${kind}_${randomBytes(32).toString("base64url")}`;
}
