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
  let id: string | null = callerId;
  for (let step = 0; step < LINE_MAX; step += 1) {
    if (id === requesterId) return true;
    // Tokens are made by an issuer, and the operator's own key by no other; neither is in the list with a maker.
    id = (await store.getKey(orgId, id))?.createdBy ?? null;
    if (id === null) return false;
  }
  return true;
}
