import { fail, getOwn, isJsonArray, isJsonObject, succeed, type Json, type Outcome } from "../core/base/index.ts";
import { type PeerAgent, requestPeer } from "../outbound/index.ts";
import { readVerificationKey, type VerificationKey } from "./verification-key.ts";

const TIMEOUT_MS = 5_000;
const BYTES_MAX = 262_144;
const KEYS_MAX = 100;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Returns the problem with an issuer URL; null when it can be used. */
export function issuerProblem(text: string): string | null {
  if (!URL.canParse(text)) return "must be a URL, such as https://login.example.com";
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (protocol !== "https:" && !(protocol === "http:" && LOOPBACK.test(hostname))) {
    return "must be an https URL (http only for this machine)";
  }
  const isPlain = username === "" && password === "" && search === "" && hash === "" && !/[?#]$/.test(text);
  return isPlain ? null : "must be a URL without user, query and fragment";
}

/** Reads the current signing keys of an issuer: first its discovery document, then the keys. Redirects are not followed. */
export async function readIssuerKeys(
  issuer: string,
  agent: PeerAgent | undefined,
): Promise<Outcome<readonly VerificationKey[], string>> {
  const place = `${issuer.replace(/\/+$/, "")}/.well-known/openid-configuration`;
  const about = await readJson(place, agent);
  if (!about.ok) return about;
  const document = isJsonObject(about.value) ? about.value : {};
  // Otherwise one customer of a shared host could answer for another.
  if (getOwn(document, "issuer") !== issuer) return fail(`${place} is the document of another issuer than ${issuer}.`);
  const keysAt = getOwn(document, "jwks_uri");
  if (typeof keysAt !== "string" || !mayHoldKeys(keysAt, issuer)) {
    return fail(`${place} names no jwks_uri with https.`);
  }
  const set = await readJson(keysAt, agent);
  if (!set.ok) return set;
  const entries = isJsonObject(set.value) ? getOwn(set.value, "keys") : undefined;
  if (!isJsonArray(entries)) return fail(`${keysAt} holds no list of keys.`);
  if (entries.length > KEYS_MAX) return fail(`${keysAt} holds ${entries.length} keys; at most ${KEYS_MAX} are read.`);
  const read = await Promise.all(entries.filter((entry) => isJsonObject(entry)).map(readVerificationKey));
  const keys = read.filter((key) => key !== null);
  return keys.length === 0 ? fail(`${keysAt} holds no key that tokens can be checked with.`) : succeed(keys);
}

/** Keys of an https issuer are read over https only, because others could change them on the way. */
function mayHoldKeys(keysAt: string, issuer: string): boolean {
  if (!URL.canParse(keysAt)) return false;
  const { protocol, hostname } = new URL(keysAt);
  return protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname) && issuer.startsWith("http:"));
}

async function readJson(url: string, agent: PeerAgent | undefined): Promise<Outcome<Json, string>> {
  const reply = await requestPeer(url, {
    method: "GET",
    headers: { accept: "application/json" },
    timeoutMs: TIMEOUT_MS,
    bytesMax: BYTES_MAX,
    ...(agent === undefined ? {} : { agent }),
  });
  if (!reply.ok) return fail(reply.message);
  if (reply.status !== 200) return fail(`${url} answers ${reply.status} instead of 200.`);
  try {
    return succeed(JSON.parse(reply.text) as Json);
  } catch {
    return fail(`${url} answers something that is not JSON.`);
  }
}
