import { stringify } from "yaml";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../base/index.ts";

/** Maximum line length. A value that fits is written on one line, as a person would. */
const LINE_MAX = 100;
/** Keys that mark a step, or a branch with steps. These are written on lines of their own. */
const STEP_KEYS = ["id", "steps", "else"] as const;

/** Prints a value after its key: on the same line, or on lines of its own indented from `column`. */
export function printMember(value: Json, column: number, keyLength: number): string {
  if (typeof value === "string" && isLong(value))
    return ` |${chomping(value)}\n${indented(trimmed(value), column + 2)}`;
  const line = typeof value === "string" ? printScalar(value) : inline(value);
  const isShort = column + keyLength + 2 + line.length <= LINE_MAX;
  if (!isCompound(value) || (isShort && isFlat(value))) return ` ${line}`;
  return `\n${indented(printBlock(value), column + 2)}`;
}

/** Prints a value on lines of its own, starting in the first column. */
export function printBlock(value: Json): string {
  if (isJsonArray(value)) {
    return value
      .map((item) => `- ${indentContinuation(isCompound(item) ? printBlockOrLine(item) : printScalar(item))}`)
      .join("\n");
  }
  if (!isJsonObject(value)) return typeof value === "string" && isLong(value) ? JSON.stringify(value) : inline(value);
  return Object.entries(value)
    .map(([key, member]) => `${printKey(key)}:${printMember(member, 0, key.length)}`)
    .join("\n");
}

function printBlockOrLine(value: Json): string {
  const line = inline(value);
  return !isStep(value) && isFlat(value) && line.length <= LINE_MAX - 10 ? line : printBlock(value);
}

function isStep(value: Json): boolean {
  return isJsonObject(value) && STEP_KEYS.some((key) => Object.hasOwn(value, key));
}

/** Prints an entry of a list on lines indented by `column`. */
export function printEntry(value: Json, column: number): string {
  return indented(`- ${indentContinuation(isCompound(value) ? printBlockOrLine(value) : printScalar(value))}`, column);
}

/** Prints a value on one line, in brackets and braces. */
export function inline(value: Json): string {
  if (isJsonArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(([key, member]) => `${printKey(key)}: ${inline(member)}`);
    return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
  }
  return printScalar(value, true);
}

export function printKey(key: string): string {
  return printScalar(key, true);
}

/** Prints a scalar. Inside brackets, more characters need quotes. */
function printScalar(value: Json, isInside = false): string {
  if (typeof value !== "string") return stringify(value).trimEnd();
  if (value.includes("\n") || value.includes("\t")) return JSON.stringify(value);
  const text = stringify(value, { lineWidth: 0 }).trimEnd();
  return isInside && /^[^"'].*[,[\]{}]/u.test(text) ? JSON.stringify(value) : text;
}

function isCompound(value: Json): value is JsonObject | readonly Json[] {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

/** True for one level of plain values, or a map with one member that is such a small map. A list of steps is never flat. */
function isFlat(value: Json): boolean {
  if (!isCompound(value)) return !(typeof value === "string" && isLong(value));
  if (isJsonArray(value) && value.some(isStep)) return false;
  const members = isJsonArray(value) ? value : Object.values(value);
  const isFlatInside = (member: Json): boolean =>
    !isCompound(member)
      ? !(typeof member === "string" && isLong(member))
      : Object.keys(member).length <= 2 && isPlain(member);
  return members.every(isFlatInside) && members.filter(isCompound).length <= 1;
}

function isPlain(value: JsonObject | readonly Json[]): boolean {
  return Object.values(value).every(
    (member: Json) => !isCompound(member) && !(typeof member === "string" && isLong(member)),
  );
}

/** True for a text to be printed as a block of lines. A text that starts with a space or has unusual characters is quoted instead. */
function isLong(text: string): boolean {
  return /^[^\s][^\r\t]*\n/u.test(text) && !/[ \t]\n/u.test(text) && trimmed(text).length > 0 && !text.endsWith("\n\n");
}

function chomping(text: string): string {
  return text.endsWith("\n") ? "" : "-";
}

function trimmed(text: string): string {
  return text.replace(/\n$/u, "");
}

/** Indents the further lines of an entry to the column after its dash. */
function indentContinuation(text: string): string {
  return text.replaceAll(/\n(?=[^\n])/gu, "\n  ");
}

export function indented(text: string, column: number): string {
  const space = " ".repeat(column);
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : space + line))
    .join("\n");
}
