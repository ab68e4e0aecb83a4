import * as openid from "openid-client";
import { fail, type JsonObject, type Outcome, succeed } from "../core/base/index.ts";
import { type PeerAgent, requestPeer } from "../outbound/index.ts";
import { emailOf, nameOf, wordsOfClaim } from "./claims.ts";
import { isOrganisationName } from "./organisation-name.ts";

/** Settings of a provider at which people sign in to the console. */
export interface SignInSettings {
  /** Name used in URLs. */
  readonly name: string;
  /** Text on the sign-in button. */
  readonly label: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client, which only PKCE protects. */
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
  readonly roleClaim: string;
  readonly groupsClaim: string;
  /** The organisation where claimed roles apply: a fixed one, or the one named in a claim. */
  readonly organisation: { readonly name: string } | { readonly claim: string };
  /** Whether emails without `email_verified` count as verified. */
  readonly trustsEmail: boolean;
}

/** Values that the browser stores between redirection to the provider and return. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A person as the provider describes them. */
export interface SignedIn {
  readonly issuer: string;
  readonly subject: string;
  /** Verified; in lower case. */
  readonly email: string | null;
  readonly name: string;
  readonly roles: readonly string[];
  readonly groups: readonly string[];
  /** Null when the claims name no organisation. */
  readonly organisation: string | null;
}

/** `message` is for the person; `reason` for the log of the operator. */
export interface SignInRefusal {
  readonly code: "provider_unreachable" | "provider_refused" | "sign_in_invalid";
  readonly message: string;
  readonly reason: string;
}

export interface SignInProviderOptions {
  readonly settings: SignInSettings;
  /** Its outbound guard decides which addresses the server may call. */
  readonly agent: PeerAgent;
  /** A monotonic clock in milliseconds. */
  readonly monotonic?: () => number;
}

const TIMEOUT_MS = 10_000;
const BYTES_MAX = 1_048_576;
/** Interval after which the provider's configuration is read again. */
const FRESH_MS = 3_600_000;
/** Interval after a failure. */
const FAILED_MS = 5_000;
const SUBJECT = /^[^\p{Cc}\p{Surrogate}\p{Bidi_Control}]{1,255}$/u;

/** Signs people in by the authorization code flow of OpenID Connect, with PKCE, state and nonce. */
export class SignInProvider {
  readonly #options: SignInProviderOptions;
  readonly #monotonic: () => number;
  #known: { readonly configuration: Promise<openid.Configuration>; readonly until: number } | null = null;

  constructor(options: SignInProviderOptions) {
    this.#options = options;
    this.#monotonic = options.monotonic ?? (() => performance.now());
  }

  get name(): string {
    return this.#options.settings.name;
  }

  get label(): string {
    return this.#options.settings.label;
  }

  /** Returns the URL to redirect the browser to. */
  async begin(redirectUri: string): Promise<Outcome<{ url: string; pending: PendingSignIn }, SignInRefusal>> {
    const { scopes } = this.#options.settings;
    const pending = {
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      verifier: openid.randomPKCECodeVerifier(),
    };
    try {
      const url = openid.buildAuthorizationUrl(await this.#configuration(), {
        redirect_uri: redirectUri,
        scope: scopes.join(" "),
        response_type: "code",
        code_challenge: await openid.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: "S256",
        state: pending.state,
        nonce: pending.nonce,
      });
      return succeed({ url: url.href, pending });
    } catch (error) {
      return fail(this.#refusalOf(error));
    }
  }

  /** Returns the person who has signed in. `returned` is the URL that the provider redirected to, including the query. */
  async finish(returned: URL, pending: PendingSignIn): Promise<Outcome<SignedIn, SignInRefusal>> {
    try {
      const configuration = await this.#configuration();
      const tokens = await openid.authorizationCodeGrant(configuration, returned, {
        pkceCodeVerifier: pending.verifier,
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims() as JsonObject | undefined;
      const subject = claims?.["sub"];
      if (claims === undefined || typeof subject !== "string" || !SUBJECT.test(subject)) {
        return fail({ code: "sign_in_invalid", message: this.#text("names no person"), reason: "no usable sub" });
      }
      const about = await this.#userInfo(configuration, tokens.access_token, subject);
      return succeed(this.#personOf({ ...about, ...claims }, subject));
    } catch (error) {
      return fail(this.#refusalOf(error));
    }
  }

  async #userInfo(configuration: openid.Configuration, token: string, subject: string): Promise<JsonObject> {
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return {};
    return (await openid.fetchUserInfo(configuration, token, subject)) as JsonObject;
  }

  #personOf(claims: JsonObject, subject: string): SignedIn {
    const { issuer, roleClaim, groupsClaim, organisation, trustsEmail } = this.#options.settings;
    const [named = "", ...others] = "claim" in organisation ? wordsOfClaim(claims, organisation.claim) : [];
    const claimed = others.length === 0 && isOrganisationName(named) ? named : null;
    return {
      issuer,
      subject,
      email: emailOf(claims, trustsEmail),
      name: nameOf(claims) ?? subject,
      roles: wordsOfClaim(claims, roleClaim),
      groups: wordsOfClaim(claims, groupsClaim),
      organisation: "name" in organisation ? organisation.name : claimed,
    };
  }

  /** One request for all waiting callers. Failures are cached briefly, so that no page waits for an unavailable provider. */
  #configuration(): Promise<openid.Configuration> {
    const now = this.#monotonic();
    if (this.#known !== null && this.#known.until > now) return this.#known.configuration;
    const configuration = this.#discover();
    const known = { configuration, until: now + FRESH_MS };
    this.#known = known;
    configuration.catch(() => {
      if (this.#known === known) this.#known = { configuration, until: this.#monotonic() + FAILED_MS };
    });
    return configuration;
  }

  #discover(): Promise<openid.Configuration> {
    const { issuer, clientId, clientSecret } = this.#options.settings;
    const authentication = clientSecret === null ? openid.None() : undefined;
    return openid.discovery(new URL(issuer), clientId, clientSecret ?? undefined, authentication, {
      timeout: TIMEOUT_MS / 1_000,
      [openid.customFetch]: (url, init) => this.#fetch(url, init),
      execute: [
        // Verify the signature too, although the token comes directly from the provider over TLS.
        openid.enableNonRepudiationChecks,
        // The settings only allow http for an issuer on this machine.
        ...(issuer.startsWith("http:") ? [openid.allowInsecureRequests] : []),
      ],
    });
  }

  /** The outbound guard applies to every address that the provider names, as it does to the issuer. */
  async #fetch(url: string, { method, headers, body, signal }: openid.CustomFetchOptions): Promise<Response> {
    const reply = await requestPeer(url, {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...(body === null || body === undefined ? {} : { body: textOf(body) }),
      ...(signal === undefined ? {} : { signal }),
      timeoutMs: TIMEOUT_MS,
      bytesMax: BYTES_MAX,
      agent: this.#options.agent,
    });
    if (!reply.ok) throw new ProviderUnreachable(reply.message);
    return new Response(reply.text === "" ? null : reply.text, { status: reply.status, headers: reply.headers });
  }

  #refusalOf(error: unknown): SignInRefusal {
    const reason = reasonOf(error);
    if (error instanceof openid.AuthorizationResponseError) {
      const message = this.#text(`did not sign you in (${plain(error.error)})`);
      return { code: "provider_refused", message, reason };
    }
    if (isUnreachable(error)) {
      return { code: "provider_unreachable", message: this.#text("cannot be reached; try again later"), reason };
    }
    const message = this.#text("gave an answer that does not belong to this sign-in; start it again");
    return { code: "sign_in_invalid", message, reason };
  }

  #text(what: string): string {
    return `${this.label} ${what}.`;
  }
}

class ProviderUnreachable extends Error {
  override readonly name = "ProviderUnreachable";
}

function isUnreachable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ProviderUnreachable) return true;
    if ("code" in cause && (cause.code === "OAUTH_TIMEOUT" || cause.code === "OAUTH_RESPONSE_IS_NOT_CONFORM"))
      return true;
  }
  return false;
}

function reasonOf(error: unknown): string {
  const texts: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) texts.push(cause.message);
  return texts.length === 0 ? String(error) : texts.join(": ");
}

/** Returns an error code of the provider if it is safe to display. */
function plain(code: string): string {
  return /^[\w.-]{1,64}$/.test(code) ? code : "unknown reason";
}

function textOf(body: unknown): string {
  return body instanceof Uint8Array ? Buffer.from(body).toString("utf8") : String(body);
}
