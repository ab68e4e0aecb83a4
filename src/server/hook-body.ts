import { isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import type { Delivered } from "../registry/index.ts";
import { BODY_BYTES_MAX, type BodyRule, JSON_TYPE, parseJson } from "./body.ts";
import { Refused } from "./problem.ts";

export const FORM_TYPE = "application/x-www-form-urlencoded";
const FORBIDDEN: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const FIELDS_MAX = 1_000;

/** Headers with credentials of the sender, which workflows must not see. */
const HIDDEN: ReadonlySet<string> = new Set(["authorization", "proxy-authorization", "cookie"]);

export function bodyRuleOf(isOnlyJson: boolean): BodyRule {
  const types = isOnlyJson ? [JSON_TYPE] : [JSON_TYPE, FORM_TYPE];
  return { bytesMax: BODY_BYTES_MAX.other, types, isOptional: !isOnlyJson };
}

/** Parses a body. A message to a workflow's hook has to be an object. */
export function readSentValue(type: string, bytes: Uint8Array, isObject: boolean): Json {
  if (type === FORM_TYPE) return readForm(bytes);
  if (bytes.byteLength === 0 && !isObject) return {};
  const { value } = parseJson(bytes);
  if (isObject && !isJsonObject(value)) throw new Refused("invalid_request", "The body must be a JSON object.");
  return value;
}

export function readForm(bytes: Uint8Array): JsonObject {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Refused("invalid_request", "The form is not valid UTF-8.");
  }
  return valuesOf(new URLSearchParams(text));
}

/** A field that is sent more than once becomes a list. */
export function valuesOf(sent: URLSearchParams): JsonObject {
  const names = [...new Set(sent.keys())];
  if (names.length > FIELDS_MAX) throw new Refused("invalid_request", `There are more than ${FIELDS_MAX} fields.`);
  const forbidden = names.find((name) => FORBIDDEN.has(name));
  if (forbidden !== undefined) throw new Refused("invalid_request", `"${forbidden}" cannot be the name of a field.`);
  return Object.fromEntries(
    names.map((name) => {
      const values = sent.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? "") : values];
    }),
  );
}

/** Returns headers and query for filters and args: header names in lower case, and also with `_` in place of `-`. */
export function deliveredBy(request: Request, query: URLSearchParams): Pick<Delivered, "headers" | "query"> {
  const headers = [...request.headers].filter(([name]) => !HIDDEN.has(name));
  const others = new URLSearchParams([...query].filter(([name]) => name !== "org"));
  return {
    headers: Object.fromEntries(
      headers.flatMap(([name, value]) => [
        [name.replaceAll("-", "_"), value],
        [name, value],
      ]),
    ),
    query: valuesOf(others),
  };
}
