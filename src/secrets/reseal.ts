import { createSecretBox, gatewayPlace, hookPlace, secretPlace } from "../seal/index.ts";
import type { SealedText, SecretStore } from "../store/index.ts";

export interface ResealOptions {
  readonly store: Pick<SecretStore, "replaceSealed">;
  readonly key: string;
  /** The previous keys. */
  readonly formerKeys: readonly string[];
}

export interface Resealed {
  readonly resealed: number;
  /** Texts that none of the keys can open. */
  readonly unreadable: number;
}

/** Reseals with the current key every text that a former key has sealed. Safe on several replicas at once, and when repeated. */
export async function reseal({ store, key, formerKeys }: ResealOptions): Promise<Resealed> {
  const box = createSecretBox(key);
  const former = createSecretBox(key, formerKeys);
  let [resealed, unreadable] = [0, 0];
  await store.replaceSealed((sealed) => {
    const place = placeOf(sealed);
    if (box.open(sealed.text, place) !== undefined) return null;
    const text = former.open(sealed.text, place);
    if (text === undefined) {
      unreadable += 1;
      return null;
    }
    resealed += 1;
    return box.seal(text, place);
  });
  return { resealed, unreadable };
}

/** Returns the place each text was sealed for. */
function placeOf({ orgId, owner }: SealedText): string {
  switch (owner.of) {
    case "entry":
      return `${secretPlace(orgId, owner.kind, owner.id)}/${owner.name}`;
    case "gateway":
      return gatewayPlace(orgId, owner.id);
    case "hook":
      return hookPlace(orgId, owner.workflow);
  }
}
