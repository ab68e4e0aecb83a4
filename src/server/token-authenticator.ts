import { RETRY_MS, type TokenRefusal, type TokenVerifier } from "../oidc/index.ts";
import type { Store } from "../store/index.ts";
import type { Refusals } from "./audit-note.ts";
import { type Principal, tokenKeyId } from "./auth.ts";
import type { ApiConfig } from "./config.ts";
import { ROLES } from "../contract/index.ts";
import { permissionsOf } from "./permission.ts";
import { Refused } from "./problem.ts";

export interface TokenAuthenticatorOptions {
  readonly verifier: TokenVerifier;
  readonly store: Store;
  readonly config: ApiConfig;
  readonly refusals: Refusals;
}

const ISSUER_WAIT = String(RETRY_MS / 1_000);
/** How many made organisations are remembered; others are made again, which changes nothing. */
const ORGANISATIONS_MAX = 10_000;

/** Lets people in with tokens of an issuer outside, as if each had a key with the permissions of their roles. */
export class TokenAuthenticator {
  readonly #options: TokenAuthenticatorOptions;
  readonly #organisations = new Set<string>();

  constructor(options: TokenAuthenticatorOptions) {
    this.#options = options;
  }

  async authenticate(token: string): Promise<Principal> {
    const outcome = await this.#options.verifier.verify(token);
    if (!outcome.ok) throw this.#refused(outcome.failure);
    const { subject, label, organisation: orgId, roles, expiresAt } = outcome.value;
    const keyId = tokenKeyId(subject);
    const permissions = new Set(ROLES.filter((role) => roles.includes(role)).flatMap(permissionsOf));
    await this.#ensure(orgId);
    if (permissions.size === 0) {
      this.#options.refusals.noteSignIn(this.#options, orgId, keyId, "role_missing");
      throw new Refused("role_missing", `The token gives none of the roles ${ROLES.join(", ")} to its bearer.`);
    }
    return { orgId, keyId, label, agentId: null, permissions, expiresAt };
  }

  #refused({ code, message, subject }: TokenRefusal): Refused {
    if (code === "issuer_unreachable") return new Refused(code, message, { headers: { "retry-after": ISSUER_WAIT } });
    const orgId = this.#options.verifier.organisation;
    // Where tokens themselves say which organisation they are for, one that is not believed belongs to none.
    if (orgId !== null) this.#options.refusals.noteSignIn(this.#options, orgId, tokenKeyId(subject), code);
    if (code === "organisation_missing") return new Refused(code, message);
    const headers = { "www-authenticate": 'Bearer realm="sluice", error="invalid_token"' };
    return new Refused(code, message, { headers });
  }

  /** The issuer decides which organisations there are; a new one starts empty. */
  async #ensure(orgId: string): Promise<void> {
    if (this.#organisations.has(orgId)) return;
    await this.#options.store.ensureOrganisation(orgId);
    if (this.#organisations.size >= ORGANISATIONS_MAX) this.#organisations.clear();
    this.#organisations.add(orgId);
  }
}
