import { createHash } from "node:crypto";
import { getOwn, isJsonObject, type Json } from "../../../core/base/index.ts";
import type { Verification } from "../../../registry/index.ts";
import { keysOf, verify as verifyStandard, verifySlack } from "../../webhook/index.ts";
import { digestOf, fitsAny, hmac, isTimely, type Proof, type Scheme, type Verdict } from "./scheme.ts";
import { readStripeSignature } from "./stripe-signature.ts";

const SIGNATURE_LENGTH_MAX = 4_000;
/** Matches only complete signatures such as `v1,BASE64`, separated by spaces: a header that was sent twice is not accepted. */
const STANDARD = /^v\d+[a-z]?,[A-Za-z0-9+/=]+(?: v\d+[a-z]?,[A-Za-z0-9+/=]+)*$/;
const STANDARD_ID = /^[\x21-\x7e]{1,255}$/;

/** https://www.standardwebhooks.com */
const standard: Scheme = {
  needs: () => ["webhook-id", "webhook-timestamp", "webhook-signature"],
  verify({ secrets, message, now }) {
    const [id, timestamp, signatures] = [
      valueOf(message, "webhook-id"),
      valueOf(message, "webhook-timestamp"),
      valueOf(message, "webhook-signature"),
    ];
    if (!STANDARD_ID.test(id) || signatures.length > SIGNATURE_LENGTH_MAX || !STANDARD.test(signatures)) {
      return "bad_signature";
    }
    return verifyStandard(secrets.flatMap(keysOf), { id, timestamp }, signatures, message.body, now);
  },
  idOf: (message) => message.header("webhook-id"),
};

/** https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries */
const github: Scheme = {
  needs: () => ["x-hub-signature-256"],
  verify: (proof) => verifyBody(proof, valueOf(proof.message, "x-hub-signature-256"), "sha256=", "hex"),
  idOf: (message) => message.header("x-github-delivery"),
};

/** https://docs.stripe.com/webhooks#verify-manually */
const stripe: Scheme = {
  needs: () => ["stripe-signature"],
  verify({ secrets, message, now }) {
    const header = valueOf(message, "stripe-signature");
    const read = header.length > SIGNATURE_LENGTH_MAX ? null : readStripeSignature(header);
    if (read === null) return "bad_signature";
    const expected = secrets.map((secret) => hmac(secret, `${read.timestamp}.`, message.body));
    return judge(fitsAny(read.signatures, expected), isTimely(read.timestamp, now));
  },
  idOf: (_message, body) => memberOf(body, "id"),
};

const slack: Scheme = {
  needs: () => ["x-slack-signature", "x-slack-request-timestamp"],
  verify({ secrets, message, now }) {
    const timestamp = valueOf(message, "x-slack-request-timestamp");
    const signature = valueOf(message, "x-slack-signature");
    return verifySlack(secrets, { timestamp, signature }, message.body, now);
  },
  idOf: (_message, body) => memberOf(body, "event_id"),
};

/** Any service that signs the body with HMAC-SHA256. */
const plain: Scheme = {
  needs: ({ header }) => [header],
  verify: (proof) => verifyBody(proof, valueOf(proof.message, proof.source.header), "", proof.source.encoding),
  idOf: () => null,
};

const basic: Scheme = {
  needs: () => ["authorization"],
  verify: (proof) =>
    verifyCredentials(proof, /^basic +([A-Za-z0-9+/]+={0,2})$/i, (secret) => Buffer.from(secret).toString("base64")),
  idOf: () => null,
};

const bearer: Scheme = {
  needs: () => ["authorization"],
  verify: (proof) => verifyCredentials(proof, /^bearer +([\x20-\x7e]+)$/i, (secret) => secret),
  idOf: () => null,
};

/** The secret is in the address, which has already been checked. */
const none: Scheme = { needs: () => [], verify: () => "good", idOf: () => null };

export const SCHEMES: Readonly<Record<Verification, Scheme>> = {
  standard,
  github,
  stripe,
  slack,
  hmac: plain,
  basic,
  bearer,
  none,
};

function valueOf({ header }: Proof["message"], name: string): string {
  return header(name) ?? "";
}

function judge(isSigned: boolean, isTimely: boolean): Verdict {
  if (!isSigned) return "bad_signature";
  return isTimely ? "good" : "bad_timestamp";
}

function verifyBody({ secrets, message }: Proof, header: string, prefix: string, encoding: "hex" | "base64"): Verdict {
  const given = signatureIn(header, prefix, encoding);
  const isSigned = fitsAny(
    given,
    secrets.map((secret) => hmac(secret, message.body)),
  );
  return judge(isSigned, true);
}

/** Where no prefix is expected, the common prefix `sha256=` is accepted, too. */
function signatureIn(header: string, prefix: string, encoding: "hex" | "base64"): readonly Buffer[] {
  const rest = header.startsWith(prefix) ? header.slice(prefix.length) : null;
  if (rest === null) return [];
  const digest = digestOf(prefix === "" ? rest.replace(/^sha256=/, "") : rest, encoding);
  return digest === null ? [] : [digest];
}

/** Credentials are hashed before they are compared, so that all have the same length. */
function verifyCredentials({ secrets, message }: Proof, pattern: RegExp, written: (secret: string) => string): Verdict {
  const given = pattern.exec(valueOf(message, "authorization").trim())?.[1];
  if (given === undefined) return "bad_signature";
  const isGood = fitsAny(
    [hashOf(given)],
    secrets.map((secret) => hashOf(written(secret))),
  );
  return judge(isGood, true);
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function memberOf(body: Json, name: string): Json | null {
  return isJsonObject(body) ? (getOwn(body, name) ?? null) : null;
}
