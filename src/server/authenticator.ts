import type { TokenVerifier } from "../oidc/index.ts";
import { KeyCache, type Principal } from "./auth.ts";
import type { Credential } from "./credentials.ts";
import { PersonCache } from "./person-cache.ts";
import { type OrganisationChoice, requireOwn, SessionCache } from "./session-cache.ts";
import { TokenAuthenticator, type TokenAuthenticatorOptions } from "./token-authenticator.ts";

interface Rings {
  readonly keys: KeyCache;
  readonly sessions: SessionCache;
  /** Null when no tokens are accepted. */
  readonly tokens: TokenAuthenticator | null;
}

const ANY: OrganisationChoice = { named: null, isPersonal: false, isUse: true };

/** Identifies the caller of a request: by the session of a browser, by a key or, where an issuer is configured, by a token. */
export class Authenticator {
  readonly #rings: Rings;

  constructor(rings: Rings) {
    this.#rings = rings;
  }

  /** A secret with a dot is a token; keys contain no dots. */
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
  /** Null when no tokens are accepted. */
  readonly verifier: TokenVerifier | null;
}

/** Opens all parts that identify callers, over one store. */
export function openCallers({ verifier, ...parts }: CallerParts): {
  readonly people: PersonCache;
  readonly keys: KeyCache;
  readonly sessions: SessionCache;
  readonly callers: Authenticator;
} {
  const { store, config } = parts;
  const people = new PersonCache(store, config.now);
  const keys = new KeyCache(store, people, config.now);
  const sessions = new SessionCache(store, keys, people, config.now);
  const tokens = verifier === null ? null : new TokenAuthenticator({ ...parts, verifier, people });
  return { people, keys, sessions, callers: new Authenticator({ keys, sessions, tokens }) };
}
