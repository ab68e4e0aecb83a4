import { createHash, timingSafeEqual } from "node:crypto";

/** Is the header's token among those accepted? Hashes are compared, all of them, so that time reveals nothing. */
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
