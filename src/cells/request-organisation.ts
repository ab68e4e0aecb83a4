import { createHash } from "node:crypto";
import { GATEWAY_TOKEN_HEADER } from "../bridge/index.ts";
import { organisationOfToken } from "../gateway/index.ts";
import { organisationOfLink } from "../outside/channel/index.ts";
import { SESSION_IDLE_MS, sessionSecretOf } from "../server/index.ts";
import type { CredentialKind } from "../store/index.ts";
import type { CellMap } from "./cell-map.ts";
import type { SharedPeople } from "./people.ts";

/** The owner of a request. `any`: one of several organisations, or an unknown one; the cells are then tried in turn. */
export type RequestOwner =
  | { readonly kind: "organisation"; readonly orgId: string }
  | { readonly kind: "any"; readonly organisations: readonly string[] }
  | { readonly kind: "unowned" };

export interface OwnerOptions {
  readonly map: CellMap;
  readonly people: Pick<SharedPeople, "findSession" | "listMemberships">;
  readonly publicUrl: string | null;
  /** Returns the organisation that the unverified claims of a token name. Null when they name none. */
  readonly organisationOfClaims: (claims: Readonly<Record<string, unknown>>) => string | null;
}

const UNOWNED: RequestOwner = { kind: "unowned" };

/**
 * Returns the organisation of a request from its address and credentials. They are not verified here but by the cell
 * that the request is routed to. That cell refuses forged and unknown credentials.
 */
export async function ownerOf(request: Request, options: OwnerOptions): Promise<RequestOwner> {
  const url = new URL(request.url);
  const { pathname, searchParams } = url;
  const [, first = "", second = "", third = "", fourth = "", fifth = ""] = pathname.split("/");
  if (first === "t") return ownerNamed(organisationOfLink(second), []);
  if (first === "api" && second === "v1") {
    if (third === "callbacks" || third === "attempt-files") return ownerNamed(organisationOfToken(fourth), null);
    // Only POST sends a message. Other methods manage the registered entry and need a key.
    const isMessage = request.method === "POST";
    if (third === "hooks" && isMessage) return byName(options, "hook", fourth, searchParams.get("org"));
    const isOfSlack = third === "channels" && fourth === "slack" && pathname.endsWith("/actions");
    if (isOfSlack && isMessage) return byName(options, "channel", fifth, searchParams.get("org"));
  }
  const token = request.headers.get(GATEWAY_TOKEN_HEADER);
  if (token !== null) return bySecret(options, "gateway", token);
  const authorization = request.headers.get("authorization");
  if (authorization !== null) return byBearer(options, authorization.trim().split(/ +/)[1] ?? "");
  if (first === "forms" && searchParams.has("org")) return ownerNamed(searchParams.get("org"), null);
  const named = request.headers.get("x-sluice-organisation") ?? searchParams.get("organisation");
  const isPage = first !== "api" && first !== "forms";
  const session = isPage ? null : await bySession(request, named, options);
  if (session === null && first === "forms") return byName(options, "hook", second, null);
  return session ?? UNOWNED;
}

function ownerNamed(orgId: string | null, otherwise: readonly string[] | null): RequestOwner {
  if (orgId !== null) return { kind: "organisation", orgId };
  return otherwise === null ? UNOWNED : { kind: "any", organisations: otherwise };
}

async function byName(
  { map }: OwnerOptions,
  kind: CredentialKind,
  name: string,
  orgId: string | null,
): Promise<RequestOwner> {
  if (orgId !== null) return { kind: "organisation", orgId };
  const owners = await map.ownersOf(kind, decoded(name));
  const [only] = owners;
  if (only === undefined) return UNOWNED;
  return owners.length === 1 ? { kind: "organisation", orgId: only } : { kind: "any", organisations: owners };
}

async function bySecret({ map }: OwnerOptions, kind: CredentialKind, secret: string): Promise<RequestOwner> {
  const [orgId] = await map.ownersOf(kind, createHash("sha256").update(secret, "utf8").digest("hex"));
  return ownerNamed(orgId ?? null, null);
}

/** Finds the owner of a token, which contains dots, or of a key, which contains none. */
async function byBearer(options: OwnerOptions, secret: string): Promise<RequestOwner> {
  const [, claims] = secret.split(".");
  if (claims === undefined) return bySecret(options, "key", secret);
  return ownerNamed(options.organisationOfClaims(claimsIn(claims)), null);
}

function claimsIn(part: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return typeof read === "object" && read !== null ? (read as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Finds the owner by the session. Null when there is no session. */
async function bySession(
  request: Request,
  named: string | null,
  { people, publicUrl }: OwnerOptions,
): Promise<RequestOwner | null> {
  const secret = sessionSecretOf(request, publicUrl);
  if (secret === null) return null;
  const hash = createHash("sha256").update(secret, "utf8").digest("hex");
  const session = await people.findSession(hash, { idleMs: SESSION_IDLE_MS, isUse: false });
  if (session === undefined) return null;
  if (session.orgId !== null) return { kind: "organisation", orgId: session.orgId };
  if (named !== null) return { kind: "organisation", orgId: named };
  const [only, ...others] = session.personId === null ? [] : await people.listMemberships(session.personId);
  return only === undefined || others.length > 0 ? UNOWNED : { kind: "organisation", orgId: only.orgId };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
