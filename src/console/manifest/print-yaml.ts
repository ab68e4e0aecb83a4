import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../../core/base/index.ts";

/** A value as people write it: blocks for maps and lists, quotes only where a bare word would mean something else. */
export function printYaml(value: Json): string {
  return `${block(value, "")}\n`.replace(/^\n/, "");
}

function block(value: Json, indent: string): string {
  if (isJsonArray(value) && value.length > 0) {
    return value.map((item) => `\n${indent}-${listItem(item, indent)}`).join("");
  }
  if (isJsonObject(value) && Object.keys(value).length > 0) return `\n${members(value, indent)}`;
  return inline(value, indent);
}

function members(map: JsonObject, indent: string): string {
  return Object.entries(map)
    .map(([key, value]) => {
      const text = block(value, `${indent}  `);
      return `${indent}${scalarText(key)}:${text.startsWith("\n") ? text : ` ${text}`}`;
    })
    .join("\n");
}

/** The first member of a map stands on the line of its dash. */
function listItem(item: Json, indent: string): string {
  const inner = `${indent}  `;
  if (isJsonObject(item) && Object.keys(item).length > 0) return ` ${members(item, inner).slice(inner.length)}`;
  if (isJsonArray(item) && item.length > 0) return ` ${inBrackets(item)}`;
  return ` ${inline(item, inner)}`;
}

function inBrackets(value: Json): string {
  if (isJsonArray(value)) return `[${value.map(inBrackets).join(", ")}]`;
  if (isJsonObject(value)) {
    const inside = Object.entries(value).map(([key, member]) => `${scalarText(key)}: ${inBrackets(member)}`);
    return inside.length === 0 ? "{}" : `{ ${inside.join(", ")} }`;
  }
  return typeof value === "string" ? scalarText(value) : JSON.stringify(value);
}

function inline(value: Json, indent: string): string {
  if (typeof value !== "string") return inBrackets(value);
  return isBlockText(value) ? blockText(value, indent) : scalarText(value);
}

/** Lines that a block of text gives back exactly. */
function isBlockText(text: string): boolean {
  return (
    /^[^\s\n]/.test(text) &&
    /\n/.test(text) &&
    !/[^\n\u0020-\uFFFF]|[ \t]\n|\n\n$|\s$(?<!\n)|[\u0085\u2028\u2029\uFEFF\uD800-\uDFFF]/.test(text)
  );
}

function blockText(text: string, indent: string): string {
  const head = text.endsWith("\n") ? "|" : "|-";
  const lines = text.replace(/\n$/, "").split("\n");
  return `${head}\n${lines.map((line) => (line === "" ? "" : indent + line)).join("\n")}`;
}

const PLAIN = /^[A-Za-z][\w ./*()=<>&'+-]*$/;
const TAKEN = /^(?:true|false|null|yes|no|on|off|y|n|nan|inf)$/i;

function scalarText(text: string): string {
  const isPlain = PLAIN.test(text) && !TAKEN.test(text) && text.trim() === text && !text.includes(" #");
  return isPlain ? text : JSON.stringify(text).replaceAll(/[\u007F-\u009F\u2028\u2029\uFEFF]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
