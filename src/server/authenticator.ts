import type { KeyRing, Principal } from "./auth.ts";
import type { Credential } from "./credentials.ts";
import type { TokenAuthenticator } from "./token-authenticator.ts";

/** Finds out who is asking: by a key or, where tokens of an issuer are taken, by one of those. */
export class Authenticator {
  readonly #keys: KeyRing;
  readonly #tokens: TokenAuthenticator | null;

  constructor(keys: KeyRing, tokens: TokenAuthenticator | null) {
    this.#keys = keys;
    this.#tokens = tokens;
  }

  /** A token has dots, a key has none. The session of a browser is opened with a key, and holds nothing else. */
  identify({ secret, isCookie }: Credential): Promise<Principal> {
    if (this.#tokens === null || isCookie || !secret.includes(".")) return this.#keys.authenticate(secret);
    return this.#tokens.authenticate(secret);
  }
}
