import type { TokenVerifier } from "../oidc/index.ts";
import { KeyRing, type Principal } from "./auth.ts";
import type { Credential } from "./credentials.ts";
import { PersonRing } from "./person-ring.ts";
import { type OrganisationChoice, requireOwn, SessionRing } from "./session-ring.ts";
import { TokenAuthenticator, type TokenAuthenticatorOptions } from "./token-authenticator.ts";

interface Rings {
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

export interface CallerParts extends Omit<TokenAuthenticatorOptions, "verifier" | "people"> {
  /** Null: no tokens are accepted. */
  readonly verifier: TokenVerifier | null;
}

/** Everything that knows callers, over one store. */
export function openCallers({ verifier, ...parts }: CallerParts): {
  readonly people: PersonRing;
  readonly keys: KeyRing;
  readonly sessions: SessionRing;
  readonly callers: Authenticator;
} {
  const { store, config } = parts;
  const people = new PersonRing(store, config.now);
  const keys = new KeyRing(store, people, config.now);
  const sessions = new SessionRing(store, keys, people, config.now);
  const tokens = verifier === null ? null : new TokenAuthenticator({ ...parts, verifier, people });
  return { people, keys, sessions, callers: new Authenticator({ keys, sessions, tokens }) };
}
