import { fail, succeed, type Outcome } from "../core/base/index.ts";
import type { PeerAgent } from "../outbound/index.ts";
import { checkClaims, type ClaimRules, emailOf, labelOf, nameOf, wordsOfClaim } from "./claims.ts";
import { type CompactToken, readCompactToken } from "./compact-token.ts";
import { readIssuerKeys } from "./issuer.ts";
import { KeySet } from "./key-set.ts";
import { isOrganisationName } from "./organisation-name.ts";
import type { TokenRefusal, TokenRefusalCode } from "./token-refusal.ts";
import { isSignedBy, type VerificationKey } from "./verification-key.ts";

/** The issuer and audience whose tokens are accepted, and the claims that are used. */
export interface OidcSettings extends ClaimRules {
  /** The organisation of all tokens, or the claim with its name. */
  readonly organisation: { readonly name: string } | { readonly claim: string };
  readonly roleClaim: string;
  /** The claim with the groups of a person; default: `groups`. */
  readonly groupsClaim?: string;
}

export interface TokenVerifierOptions extends OidcSettings {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Connection agent; default: the connections of the process. */
  readonly agent?: PeerAgent;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** The person or program a token was issued to. */
export interface TokenHolder {
  readonly issuer: string;
  readonly subject: string;
  /** Verified; in lower case. */
  readonly email: string | null;
  readonly name: string;
  readonly label: string;
  readonly organisation: string;
  /** As named in the token. Some may have no meaning in this installation. */
  readonly roles: readonly string[];
  readonly groups: readonly string[];
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** The claim where most issuers put the groups of a person. */
export const GROUPS_CLAIM = "groups";

/** Verifies the tokens of one issuer, made for one audience. */
export class TokenVerifier {
  readonly #options: TokenVerifierOptions;
  readonly #keys: KeySet;

  constructor(options: TokenVerifierOptions) {
    const { issuer, agent, now, onTrouble } = options;
    this.#options = options;
    this.#keys = new KeySet({ read: () => readIssuerKeys(issuer, agent), now, onTrouble });
  }

  /** The organisation, when it is the same for all tokens; null otherwise. */
  get organisation(): string | null {
    const { organisation } = this.#options;
    return "name" in organisation ? organisation.name : null;
  }

  /**
   * Verifies a token. Claims are checked before the signature: a token that is refused anyway causes no request to the
   * issuer, and an expired token is refused even when the issuer is unreachable.
   */
  async verify(text: string): Promise<Outcome<TokenHolder, TokenRefusal>> {
    const read = readCompactToken(text);
    if (!read.ok) return refuse("token_invalid", read.failure);
    const { claims } = read.value;
    const checked = checkClaims(claims, this.#options, this.#options.now());
    if (!checked.ok) return refuse(checked.failure.code, checked.failure.message);
    const signed = await this.#checkSignature(read.value);
    if (!signed.ok) return signed;
    const { subject, expiresAt } = checked.value;
    const organisation = this.#organisationOf(claims);
    if (organisation === null) {
      return refuse("organisation_missing", "The token names no organisation, or not exactly one.", subject);
    }
    const { issuer, roleClaim, groupsClaim = GROUPS_CLAIM } = this.#options;
    const label = labelOf(claims, subject);
    return succeed({
      issuer,
      subject,
      email: emailOf(claims, false),
      name: nameOf(claims) ?? subject,
      label,
      organisation,
      roles: wordsOfClaim(claims, roleClaim),
      groups: wordsOfClaim(claims, groupsClaim),
      expiresAt,
    });
  }

  async #checkSignature(token: CompactToken): Promise<Outcome<true, TokenRefusal>> {
    const current = await this.#keys.current();
    if (!current.ok) return unreachable();
    const fitting = keysFor(token, current.value);
    if (await isSignedByOne(token, fitting)) return succeed(true);
    if (fitting.length > 0 && token.keyId !== null) return refuse("token_invalid", WRONG_SIGNATURE);
    const renewed = await this.#keys.renewed();
    if (!renewed.ok) return unreachable();
    const newFitting = keysFor(token, renewed.value);
    if (await isSignedByOne(token, newFitting)) return succeed(true);
    return refuse("token_invalid", newFitting.length > 0 ? WRONG_SIGNATURE : NO_KEY);
  }

  #organisationOf(claims: CompactToken["claims"]): string | null {
    const { organisation } = this.#options;
    if ("name" in organisation) return organisation.name;
    const [named = "", ...others] = wordsOfClaim(claims, organisation.claim);
    return others.length === 0 && isOrganisationName(named) ? named : null;
  }
}

const WRONG_SIGNATURE = "The signature of the token does not fit.";
const NO_KEY = "The issuer has no key for this token; one it has just made is known here within 30 seconds.";

/** Returns the keys that may have signed the token. An issuer may use one id for several keys. */
function keysFor({ algorithm, keyId }: CompactToken, keys: readonly VerificationKey[]): readonly VerificationKey[] {
  return keys.filter(({ id, byAlgorithm }) => byAlgorithm.has(algorithm) && (keyId === null || id === keyId));
}

async function isSignedByOne(token: CompactToken, keys: readonly VerificationKey[]): Promise<boolean> {
  for (const key of keys) if (await isSignedBy(key, token)) return true;
  return false;
}

/** The message does not contain the reason, which is only logged: any caller could otherwise probe this server's network. */
function unreachable(): Outcome<never, TokenRefusal> {
  return refuse("issuer_unreachable", "The issuer of the tokens cannot be asked for its keys; try again later.");
}

function refuse(code: TokenRefusalCode, message: string, subject: string | null = null): Outcome<never, TokenRefusal> {
  return fail({ code, message, subject });
}
