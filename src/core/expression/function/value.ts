import { canonicalJson, digestText, isJsonArray, isJsonObject, type Json } from "../../base/index.ts";
import { repairText } from "../../text/index.ts";
import { ANY, BOOLEAN, TEXT } from "../known.ts";
import { checkResult, weigh } from "../size.ts";
import { encodeBase64, encodeUrl } from "./encoding.ts";
import type { Call } from "./call.ts";
import { type FunctionEntry, oneOf, rest, text, value } from "./function.ts";

const TRUE_WORDS = ["true", "yes", "1"];
const FALSE_WORDS = ["false", "no", "0", ""];

function runBool(call: Call): boolean {
  const given = call.value(0);
  if (typeof given === "boolean") return given;
  const word = call.textOf(given).trim().toLowerCase();
  if (TRUE_WORDS.includes(word)) return true;
  if (FALSE_WORDS.includes(word)) return false;
  throw call.kindFault(
    `bool takes true, yes, 1, false, no or 0, but ${call.describeOperand(0)} that reads otherwise`,
    0,
  );
}

function runJson(call: Call): string {
  const given = call.value(0) ?? null;
  weigh(given, call.meter);
  const written = JSON.stringify(given);
  call.makeText(written.length);
  return written;
}

function runParseJson(call: Call): Json {
  const written = call.text(0);
  call.makeText(written.length);
  const parsed = readJson(call, written);
  checkResult(parsed, call.meter);
  if (hasInfinity(parsed)) throw call.kindFault(`${call.name(0)} holds a number that is too large`, 0);
  return repairText(parsed).value;
}

function readJson(call: Call, written: string): Json {
  try {
    return JSON.parse(written) as Json;
  } catch {
    throw call.kindFault(`${call.name(0)} is text that is not JSON`, 0);
  }
}

/** JSON text can contain numbers too large to represent, which are read as infinity. */
function hasInfinity(value: Json): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  if (isJsonArray(value)) return value.some(hasInfinity);
  return isJsonObject(value) && Object.values(value).some(hasInfinity);
}

function typeOf(given: Json | undefined): string {
  if (given === undefined || given === null) return "null";
  if (isJsonArray(given)) return "array";
  return typeof given;
}

function runHash(call: Call): string {
  const given = call.value(0) ?? null;
  weigh(given, call.meter);
  const written = typeof given === "string" ? given : canonicalJson(given);
  // Hashing costs more than copying, so it counts eightfold.
  call.meter.characters(written.length * 8);
  return digestText(written).slice("sha256:".length);
}

export const VALUE_FUNCTIONS: readonly FunctionEntry[] = [
  {
    name: "string",
    parameters: [value("value")],
    about: "The value as it reads in a text: texts as they are, null and missing as nothing, others as JSON.",
    example: "string(12.5) + ' EUR'",
    gives: "12.5 EUR",
    result: TEXT,
    run: (call) => call.textOf(call.value(0)),
  },
  {
    name: "bool",
    parameters: [value("value")],
    about:
      "True or false of a boolean, of the texts true, yes, false and no in any case, and of 1 and 0; null is false.",
    example: "bool('Yes')",
    gives: true,
    result: BOOLEAN,
    run: runBool,
  },
  {
    name: "json",
    parameters: [value("value")],
    about: "The value written as JSON.",
    example: "json({a: [1, 'b']})",
    gives: '{"a":[1,"b"]}',
    result: TEXT,
    run: runJson,
  },
  {
    name: "parse_json",
    parameters: [text()],
    about: "The value that a JSON text spells.",
    example: "parse_json('{\"a\": 1}')",
    gives: { a: 1 },
    result: ANY,
    run: runParseJson,
  },
  {
    name: "type",
    parameters: [value("value")],
    about: "What the value is: string, number, boolean, array, object or null; missing is null.",
    example: "type([1])",
    gives: "array",
    result: TEXT,
    run: (call) => typeOf(call.value(0)),
  },
  {
    name: "coalesce",
    parameters: [value("value"), rest(value("other"))],
    about: "The first argument that is neither null nor missing, as ?? does it.",
    example: "coalesce(null, 'a', 'b')",
    gives: "a",
    result: ANY,
    run: (call) => call.from(0).find((given) => given !== undefined && given !== null) ?? null,
  },
  {
    name: "hash",
    parameters: [value("value")],
    about: "SHA-256 in hexadecimal: of a text, or of the canonical JSON of another value.",
    example: "hash('a')",
    gives: "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
    result: TEXT,
    run: runHash,
  },
  {
    name: "base64",
    parameters: [text()],
    about: "The text as UTF-8 in Base64.",
    example: "base64('größe')",
    gives: "Z3LDtsOfZQ==",
    result: TEXT,
    run: (call) => {
      call.makeText(call.text(0).length * 2);
      return encodeBase64(call.text(0));
    },
  },
  {
    name: "url_encode",
    parameters: [oneOf("text or number", "text", "number", "boolean")],
    about: "The text as a part of an address: what would mean something there is escaped.",
    example: "url_encode('a b&c')",
    gives: "a%20b%26c",
    result: TEXT,
    run: (call) => {
      const written = call.textOf(call.value(0));
      call.makeText(written.length);
      return encodeUrl(written);
    },
  },
];
