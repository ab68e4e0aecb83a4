import type { Json } from "../base/index.ts";
import { buildAutomaton } from "./automaton.ts";
import { redactJson } from "./json.ts";
import { marksOf } from "./marker.ts";
import { shapesOf } from "./shape.ts";
import { createStream, type RedactionStream } from "./stream.ts";

/** A shorter value is ordinary text: redacting it would remove ordinary words. */
export const SECRET_LENGTH_MIN = 6;

export interface Secret {
  readonly name: string;
  readonly value: string;
}

/**
 * Removes known secrets from data that will be stored or shown. Each is found as plain text, in base64 and base64url (also
 * inside a longer encoding), percent-encoded, JSON-escaped, and in hex, and is replaced by `[redacted:NAME]`. Text without
 * secrets stays unchanged, and so does text that was already redacted.
 */
export interface Redactor {
  /** Names of secrets shorter than SECRET_LENGTH_MIN, which are not searched for. */
  readonly ignored: readonly string[];
  text(text: string): string;
  /** Redacts keys, texts and numbers at any depth. */
  json(value: Json): Json;
  /** Redacts a text that arrives in pieces. */
  stream(): RedactionStream;
  /** Returns a redactor that also knows these secrets. Of all secrets added this way, the newest LEARNED_MAX are kept. */
  with(secrets: readonly Secret[]): Redactor;
}

/** Limited because each secret is searched in many spellings, whose tables are held in memory. */
export const LEARNED_MAX = 200;

export function createRedactor(secrets: readonly Secret[], learned: readonly Secret[] = []): Redactor {
  const all = [...secrets, ...learned];
  const more = (added: readonly Secret[]): Redactor => {
    const fresh = added.filter(({ name, value }) => !all.some((one) => one.name === name && one.value === value));
    return fresh.length === 0 ? self : createRedactor(secrets, [...learned, ...fresh].slice(-LEARNED_MAX));
  };
  const self: Redactor = { ...redactionOf(all), with: more };
  return self;
}

function redactionOf(secrets: readonly Secret[]): Omit<Redactor, "with"> {
  const known = secrets.filter((secret) => secret.value.length >= SECRET_LENGTH_MIN);
  const ignored = secrets.filter((secret) => secret.value.length < SECRET_LENGTH_MIN).map((secret) => secret.name);
  if (known.length === 0) return { ignored, text: same, json: same, stream: () => ({ push: same, flush: () => "" }) };
  const needles = known.flatMap((secret, owner) => shapesOf(secret.value).map((shape) => ({ ...shape, owner })));
  const automaton = buildAutomaton(needles);
  const marks = marksOf(
    known.map((secret) => secret.name),
    needles.map((needle) => needle.text),
  );
  const text = (whole: string): string => {
    const stream = createStream(automaton, marks);
    return stream.push(whole) + stream.flush();
  };
  return { ignored, text, json: (value) => redactJson(value, text), stream: () => createStream(automaton, marks) };
}

function same<T>(value: T): T {
  return value;
}
