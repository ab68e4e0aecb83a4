import type { KeyStore } from "../store/index.ts";

/** A longer line of keys made by keys is taken for an attempt to hide who is at its beginning. */
const LINE_MAX = 1_000;

/**
 * Whether a caller is the requester, or uses a key that the requester has made, directly or through other keys.
 * Such a caller cannot answer where a second person has to: a new key is not a second person.
 */
export async function isOfRequester(
  store: Pick<KeyStore, "getKey">,
  orgId: string,
  callerId: string,
  requesterId: string | null,
): Promise<boolean> {
  if (requesterId === null) return false;
  const line = await keyLine(store, orgId, callerId);
  return line.includes(requesterId) || line.length >= LINE_MAX;
}

/** The id of a key, and of those it was made with, the nearest first. */
export async function keyLine(
  store: Pick<KeyStore, "getKey">,
  orgId: string,
  callerId: string,
): Promise<readonly string[]> {
  const line: string[] = [];
  let id: string | null = callerId;
  while (id !== null && line.length < LINE_MAX) {
    line.push(id);
    // Tokens are made by an issuer, and the operator's own key by no other; neither is in the list with a maker.
    id = (await store.getKey(orgId, id))?.createdBy ?? null;
  }
  return line;
}
