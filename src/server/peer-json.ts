import { isJsonArray, isJsonObject, type Json } from "../core/base/index.ts";
import { parseJson } from "./body.ts";
import { Refused } from "./problem.ts";

const DEPTH_MAX = 64;

/** Matches the name, also with any of its characters escaped. */
const MAY_NAME_PROTO = /__proto__|\\u00[567]/i;

/**
 * Parses JSON from a Bridge. Thousands of bodies arrive per second, so places are not recorded. Dangerous content is
 * still refused: names that reach prototypes, and nesting that fills a stack.
 */
export function readPeerJson(bytes: Uint8Array): unknown {
  let source: string;
  let value: Json;
  try {
    source = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    value = JSON.parse(source) as Json;
  } catch {
    // Parses again to report the problem and its place; it throws for every text that fails above.
    return parseJson(bytes).value;
  }
  if (isTooDeep(bytes)) throw new Refused("bad_json", `The body is nested deeper than ${DEPTH_MAX} levels.`);
  // A result may contain the word prototype, as long as no key has that name.
  if (MAY_NAME_PROTO.test(source) && namesProto(value)) {
    throw new Refused("bad_json", 'The body has a key "__proto__", which is not taken.');
  }
  return value;
}

function namesProto(value: Json): boolean {
  if (isJsonArray(value)) return value.some(namesProto);
  if (!isJsonObject(value)) return false;
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(namesProto);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > DEPTH_MAX) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return false;
}
