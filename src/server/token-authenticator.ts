import { KEY_SET_RETRY_MS, type TokenHolder, type TokenRefusal, type TokenVerifier } from "../oidc/index.ts";
import type { Store } from "../store/index.ts";
import type { Refusals } from "./audit-note.ts";
import { type Principal, tokenKeyId } from "./auth.ts";
import type { ApiConfig } from "./config.ts";
import { ROLES } from "../contract/index.ts";
import { permissionsOf } from "./permission.ts";
import type { PersonCache } from "./person-cache.ts";
import { Refused } from "./problem.ts";
import { newId } from "./secret.ts";

export interface TokenAuthenticatorOptions {
  readonly verifier: TokenVerifier;
  readonly store: Store;
  readonly people: PersonCache;
  readonly config: ApiConfig;
  readonly refusals: Refusals;
}

const ISSUER_WAIT = String(KEY_SET_RETRY_MS / 1_000);
/** Time for which a recorded holder is cached and not recorded again. */
const RECORDED_MS = 300_000;
const RECORDED_MAX = 10_000;

/**
 * Authenticates people by tokens of an outside issuer. The person is identified by issuer and subject, and has the
 * roles and groups of the token and those assigned here.
 */
export class TokenAuthenticator {
  readonly #options: TokenAuthenticatorOptions;
  /** Maps the recorded claims of a holder to the person. */
  readonly #recorded = new Map<string, { readonly personId: string; readonly until: number }>();

  constructor(options: TokenAuthenticatorOptions) {
    this.#options = options;
  }

  async authenticate(token: string): Promise<Principal> {
    const { verifier, people, refusals } = this.#options;
    const outcome = await verifier.verify(token);
    if (!outcome.ok) throw this.#refused(outcome.failure);
    const holder = outcome.value;
    const { subject, label, organisation: orgId, expiresAt } = holder;
    const keyId = tokenKeyId(subject);
    const personId = await this.#record(holder);
    const member = await people.memberOf(orgId, personId);
    const roles = [...holder.roles, ...(member?.roles ?? [])];
    const permissions = new Set(ROLES.filter((role) => roles.includes(role)).flatMap(permissionsOf));
    if (permissions.size === 0) {
      refusals.noteSignIn(this.#options, orgId, keyId, "role_missing");
      throw new Refused("role_missing", `The token gives none of the roles ${ROLES.join(", ")} to its bearer.`);
    }
    const groups = [...new Set([...holder.groups, ...(member?.names.groups ?? [])])];
    const { issuer, email } = holder;
    const person = { personId, issuer, subject, email, groups };
    const deputyFor = member?.deputyFor ?? [];
    const held = { orgId, keyId, label, agentId: null, permissions, expiresAt };
    return { ...held, personId, groups, sessionId: null, person, deputyFor };
  }

  /**
   * Records the person of a token with its claims. The issuer decides which organisations exist; a new one starts
   * empty.
   */
  async #record(holder: TokenHolder): Promise<string> {
    const { store, config, people } = this.#options;
    const { issuer, subject, email, name, organisation: orgId, roles, groups } = holder;
    const key = JSON.stringify([issuer, subject, email, name, orgId, roles, groups]);
    const now = config.now();
    const known = this.#recorded.get(key);
    if (known !== undefined && known.until > now) return known.personId;
    await store.ensureOrganisation(orgId);
    const person = await store.keepPerson({ id: newId("per"), issuer, subject, email, name });
    const claimed = { roles: ROLES.filter((role) => roles.includes(role)), groups };
    await store.claimMembership(orgId, person.id, claimed);
    people.forget();
    if (this.#recorded.size >= RECORDED_MAX) this.#recorded.clear();
    this.#recorded.set(key, { personId: person.id, until: now + RECORDED_MS });
    return person.id;
  }

  #refused({ code, message, subject }: TokenRefusal): Refused {
    if (code === "issuer_unreachable") return new Refused(code, message, { headers: { "retry-after": ISSUER_WAIT } });
    const orgId = this.#options.verifier.organisation;
    // When tokens themselves name their organisation, a rejected token belongs to none.
    if (orgId !== null) this.#options.refusals.noteSignIn(this.#options, orgId, tokenKeyId(subject), code);
    if (code === "organisation_missing") return new Refused(code, message);
    const headers = { "www-authenticate": 'Bearer realm="sluice", error="invalid_token"' };
    return new Refused(code, message, { headers });
  }
}
