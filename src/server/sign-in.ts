import { createHash } from "node:crypto";
import { ROLES } from "../contract/index.ts";
import type { PendingSignIn, SignedIn, SignInProvider, SignInRefusal } from "../oidc/index.ts";
import { cookieOf } from "./credentials.ts";
import { html, type Html, page } from "./html.ts";
import { Refused } from "./problem.ts";
import { ownPath, to } from "./redirect.ts";
import { json, type Services } from "./route.ts";
import { newId } from "./secret.ts";
import { cookieText } from "./session-cookie.ts";
import { openSession } from "./session-opening.ts";

/** The providers at which people can sign in, by name. */
export class SignIn {
  readonly #providers: ReadonlyMap<string, SignInProvider>;

  constructor(providers: readonly SignInProvider[]) {
    this.#providers = new Map(providers.map((provider) => [provider.name, provider]));
  }

  /** The providers as buttons show them. */
  get shown(): readonly ShownProvider[] {
    return [...this.#providers.values()].map(({ name, label }) => ({ name, label }));
  }

  get(name: string): SignInProvider | undefined {
    return this.#providers.get(name);
  }
}

export interface ShownProvider {
  readonly name: string;
  readonly label: string;
}

/** Time a person may take at the provider. */
const PENDING_SECONDS = 600;
const PENDING_PATH = "/auth";
const STATUS: Readonly<Record<SignInRefusal["code"], number>> = {
  provider_unreachable: 503,
  provider_refused: 403,
  sign_in_invalid: 400,
};

export async function listProviders({ signIn }: Services): Promise<Response> {
  return json({ data: signIn.shown });
}

/** Redirects the browser to the provider. The data needed on return is sealed in a cookie of this browser. */
export async function startSignIn(services: Services, request: Request): Promise<Response> {
  const provider = providerOf(services, request);
  const url = new URL(request.url);
  const returnTo = ownPath(url.searchParams.get("return"));
  const begun = await provider.begin(redirectUri(services, request, provider));
  if (!begun.ok) return refusal(services, provider, returnTo, begun.failure);
  const { pending } = begun.value;
  const sealed = services.gateways.box.seal(JSON.stringify({ ...pending, returnTo }), placeOf(provider));
  const name = pendingCookie(pending.state);
  return to(
    begun.value.url,
    cookieText(request, services.config, { name, value: sealed, path: PENDING_PATH, seconds: PENDING_SECONDS }),
  );
}

/** Handles the return of the browser. The cookie is removed in any case. */
export async function finishSignIn(services: Services, request: Request, address: string): Promise<Response> {
  const provider = providerOf(services, request);
  const returned = new URL(redirectUri(services, request, provider));
  returned.search = new URL(request.url).search;
  const name = pendingCookie(returned.searchParams.get("state") ?? "");
  const pending = pendingOf(services, provider, cookieOf(request, name));
  if (pending === null) return foreignAnswer(provider);
  const spent = cookieText(request, services.config, { name, value: "", path: PENDING_PATH, seconds: 0 });
  const finished = await provider.finish(returned, pending);
  if (!finished.ok) return withCookie(refusal(services, provider, pending.returnTo, finished.failure), spent);
  const personId = await admit(services, finished.value);
  if (personId === null) return withCookie(failed("You are disabled here", DISABLED, null, 403), spent);
  const { cookie } = await openSession(services, request, address, { personId });
  return to(pending.returnTo, spent, cookie);
}

/** Stores the person and the claims of the provider; null when this person may not sign in. */
async function admit({ store, people }: Services, signedIn: SignedIn): Promise<string | null> {
  const { issuer, subject, email, name, organisation, groups } = signedIn;
  const person = await store.keepPerson({ id: newId("per"), issuer, subject, email, name });
  if (person.isDisabled) return null;
  const roles = ROLES.filter((role) => signedIn.roles.includes(role));
  if (organisation !== null) {
    if (roles.length > 0) await store.ensureOrganisation(organisation);
    await store.claimMembership(organisation, person.id, { roles, groups });
  }
  people.forget();
  return person.id;
}

interface Pending extends PendingSignIn {
  readonly returnTo: string;
}

function pendingOf({ gateways }: Services, provider: SignInProvider, sealed: string | null): Pending | null {
  const text = sealed === null ? undefined : gateways.box.open(sealed, placeOf(provider));
  // The text can be trusted, because only this server can have sealed it.
  return text === undefined ? null : (JSON.parse(text) as Pending);
}

function providerOf({ signIn }: Services, request: Request): SignInProvider {
  const [, , name = ""] = new URL(request.url).pathname.split("/");
  const provider = signIn.get(name);
  if (provider === undefined)
    throw new Refused("not_found", `There is no provider "${name.slice(0, 64)}" to sign in at.`);
  return provider;
}

function redirectUri({ config }: Services, request: Request, { name }: SignInProvider): string {
  return `${config.publicUrl ?? new URL(request.url).origin}/auth/${name}/callback`;
}

/** Each sign-in has its own cookie, so that two tabs can sign in at the same time. */
function pendingCookie(state: string): string {
  return `sluice_sign_in_${createHash("sha256").update(state, "utf8").digest("hex").slice(0, 16)}`;
}

function placeOf({ name }: SignInProvider): string {
  return `sign-in ${name}`;
}

const DISABLED = "Ask an admin of your organisation.";
const FOREIGN =
  "The answer of the provider belongs to no sign-in of this browser: it was used before, is older than ten minutes, " +
  "or was started elsewhere.";

function foreignAnswer(provider: SignInProvider): Response {
  return failed("The sign-in did not complete", FOREIGN, againAt(provider, "/"), 400);
}

function refusal(
  { config }: Services,
  provider: SignInProvider,
  returnTo: string,
  { code, message, reason }: SignInRefusal,
): Response {
  if (code !== "provider_refused") config.onTrouble(`sign-in at ${provider.name}: ${code}`, new Error(reason));
  return failed("The sign-in did not complete", message, againAt(provider, returnTo), STATUS[code]);
}

function againAt({ name, label }: SignInProvider, returnTo: string): Html {
  return html`<p>
    <a href="/auth/${name}/start?return=${encodeURIComponent(returnTo)}">Sign in at ${label} again</a>
  </p>`;
}

function failed(title: string, text: string, more: Html | null, status: number): Response {
  const body = html`<h1>${title}</h1>
    <p role="alert">${text}</p>
    ${more ?? html``}
    <p><a href="/">Other ways to sign in</a></p>`;
  return page(title, body, status);
}

function withCookie(response: Response, cookie: string): Response {
  response.headers.append("set-cookie", cookie);
  return response;
}
