import { createHash, timingSafeEqual } from "node:crypto";

/** Checks the token of the header. Compares hashes with all accepted tokens, so that the time taken reveals nothing. */
export function isBearerAccepted(header: string | null, tokens: readonly string[]): boolean {
  const sent = /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
  if (sent === undefined) return false;
  const hash = hashOf(sent);
  let isAccepted = false;
  for (const token of tokens) if (token !== "" && timingSafeEqual(hashOf(token), hash)) isAccepted = true;
  return isAccepted;
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}
