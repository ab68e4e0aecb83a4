import type { KeyRing, Principal } from "./auth.ts";
import type { Credential } from "./credentials.ts";
import { type OrganisationChoice, requireOwn, type SessionRing } from "./session-ring.ts";
import type { TokenAuthenticator } from "./token-authenticator.ts";

export interface Rings {
  readonly keys: KeyRing;
  readonly sessions: SessionRing;
  /** Null: no tokens are accepted. */
  readonly tokens: TokenAuthenticator | null;
}

const ANY: OrganisationChoice = { named: null, isPersonal: false, isUse: true };

/** Finds out who is asking: by the session of a browser, by a key or, where tokens of an issuer are taken, by one of those. */
export class Authenticator {
  readonly #rings: Rings;

  constructor(rings: Rings) {
    this.#rings = rings;
  }

  /** A token has dots, a key has none. */
  async identify({ secret, isCookie }: Credential, choice: OrganisationChoice = ANY): Promise<Principal> {
    const { keys, sessions, tokens } = this.#rings;
    if (isCookie) return sessions.authenticate(secret, choice);
    const isToken = tokens !== null && secret.includes(".");
    const principal = await (isToken ? tokens.authenticate(secret) : keys.authenticate(secret));
    requireOwn(principal.orgId, choice);
    return principal;
  }
}
