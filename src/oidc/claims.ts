import {
  fail,
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type Outcome,
  succeed,
} from "../core/base/index.ts";
import type { TokenRefusalCode } from "./token-refusal.ts";

export interface ClaimRules {
  /** Exactly as in the token, including a trailing slash. */
  readonly issuer: string;
  readonly audience: string;
}

export interface CheckedClaims {
  readonly subject: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

type Refusal = { readonly code: TokenRefusalCode; readonly message: string };

/** Tolerated difference between clocks before a token counts as not yet valid. */
const LEEWAY_SECONDS = 60;
/** The last second of the year 9999; later dates cannot be displayed. */
const SECONDS_MAX = 253_402_300_799;
/** Printable text that a database can compare, and that is displayed in the order it is written. */
const SUBJECT = /^[^\p{Cc}\p{Surrogate}\p{Bidi_Control}]{1,255}$/u;
const LABEL = /^[^\p{Cc}\p{Surrogate}\p{Bidi_Control}]{1,200}$/u;

/** Checks whether a token is valid for this server now, and returns its subject. */
export function checkClaims(claims: JsonObject, rules: ClaimRules, now: number): Outcome<CheckedClaims, Refusal> {
  const { issuer, audience } = rules;
  if (getOwn(claims, "iss") !== issuer) return invalid(`The token was not issued by ${issuer} (iss).`);
  if (!wordsIn(getOwn(claims, "aud")).includes(audience))
    return invalid(`The token is not meant for ${audience} (aud).`);
  const subject = getOwn(claims, "sub");
  if (typeof subject !== "string" || !SUBJECT.test(subject)) {
    return invalid("The token does not say whose it is: sub must be a text of 1 to 255 printable characters.");
  }
  const [exp, nbf, iat] = ["exp", "nbf", "iat"].map((name) => getOwn(claims, name));
  if (!isMoment(exp)) return invalid("The token has no end: exp must be a number of seconds since 1970.");
  const seconds = now / 1_000;
  if (exp <= seconds) return fail({ code: "token_expired", message: "The token has expired; get a new one." });
  for (const [name, value] of [["nbf", nbf] as const, ["iat", iat] as const]) {
    if (value === undefined) continue;
    if (!isMoment(value)) return invalid(`The ${name} of the token is no number of seconds since 1970.`);
    if (value > seconds + LEEWAY_SECONDS) {
      const message = `The token begins in the future (${name}); compare the clocks of the issuer and of this server.`;
      return fail({ code: "token_not_yet_valid", message });
    }
  }
  return succeed({ subject, expiresAt: Math.floor(exp * 1_000) });
}

function isMoment(value: Json | undefined): value is number {
  return typeof value === "number" && value >= 0 && value <= SECONDS_MAX;
}

function invalid(message: string): Outcome<never, Refusal> {
  return fail({ code: "token_invalid", message });
}

/** Text that can be stored and searched for. `wordsIn` returns only such words, from one text or a list of texts. */
const WORD = /^[^\p{Cc}\p{Surrogate}]{1,1000}$/u;

function wordsIn(value: Json | undefined): readonly string[] {
  const words = typeof value === "string" ? [value] : isJsonArray(value) ? value : [];
  return words.filter((word) => typeof word === "string").filter((word) => WORD.test(word));
}

/** Returns the words of a claim. A name with dots that is not a claim itself is a path: `realm_access.roles`. */
export function wordsOfClaim(claims: JsonObject, name: string): readonly string[] {
  const whole = getOwn(claims, name);
  if (whole !== undefined) return wordsIn(whole);
  let value: Json | undefined = claims;
  for (const part of name.split(".")) value = isJsonObject(value) ? getOwn(value, part) : undefined;
  return wordsIn(value);
}

/**
 * Returns a label for people. Since a user can choose any name, the subject is shown next to it, so that no approval is
 * answered under the name of another person. An email is used only if the issuer reports it as verified, because users
 * can enter any address at some issuers.
 */
export function labelOf(claims: JsonObject, subject: string): string {
  const email = emailOf(claims, false);
  if (email !== null) return email;
  const name = nameOf(claims);
  return name === null ? subject : `${name} (${subject})`;
}

function isLabel(value: Json | undefined): value is string {
  return typeof value === "string" && value.trim() !== "" && LABEL.test(value);
}

/** Returns the email in lower case, if it is verified. `trustsEmail`: an email without `email_verified` counts as verified. */
export function emailOf(claims: JsonObject, trustsEmail: boolean): string | null {
  const email = getOwn(claims, "email");
  const verified = getOwn(claims, "email_verified");
  const isVerified = verified === true || verified === "true" || (trustsEmail && verified === undefined);
  return isVerified && isLabel(email) ? email.trim().toLowerCase() : null;
}

/** Returns the name that a person has chosen; null when it cannot be displayed. */
export function nameOf(claims: JsonObject): string | null {
  const name = getOwn(claims, "name");
  return isLabel(name) ? name : null;
}
