import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";

/** Formats a spec like a manifest, one line per value, so that changes can be shown by lines. */
export function specText(spec: JsonObject): string {
  return linesOfMap(spec, "")
    .map((line) => `${line}\n`)
    .join("");
}

function linesOfMap(map: JsonObject, indent: string): readonly string[] {
  return Object.entries(map).flatMap(([key, value]) => linesOf(`${indent}${keyText(key)}:`, value, `${indent}  `));
}

/** `head` is the text before the value on its first line. */
function linesOf(head: string, value: Json, indent: string): readonly string[] {
  if (isJsonArray(value) && value.length > 0) {
    return [head, ...value.flatMap((item) => itemLines(item, indent))];
  }
  if (isJsonObject(value) && Object.keys(value).length > 0) return [head, ...linesOfMap(value, indent)];
  if (typeof value === "string" && value.includes("\n")) {
    const lines = (value.endsWith("\n") ? value.slice(0, -1) : value).split("\n");
    return [`${head} ${value.endsWith("\n") ? "|" : "|-"}`, ...lines.map((line) => `${indent}${line}`)];
  }
  return [`${head} ${scalarText(value)}`];
}

function itemLines(item: Json, indent: string): readonly string[] {
  if (!isJsonObject(item) || Object.keys(item).length === 0) return linesOf(`${indent}-`, item, `${indent}  `);
  const [first = "", ...rest] = linesOfMap(item, `${indent}  `);
  return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest];
}

const PLAIN = /^[A-Za-z][A-Za-z0-9_./@ -]*$/;
const WORDS: ReadonlySet<string> = new Set(["true", "false", "null"]);

function keyText(key: string): string {
  return /^[A-Za-z_][\w.-]*$/.test(key) ? key : JSON.stringify(key);
}

function scalarText(value: Json): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return PLAIN.test(value) && !value.endsWith(" ") && !WORDS.has(value.toLowerCase()) ? value : JSON.stringify(value);
}
