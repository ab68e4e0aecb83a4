import { LIMITS, type TreePath } from "../base/index.ts";
import { type ProblemList, shown } from "./problem-list.ts";
import { isStorable, repaired } from "./storable.ts";

/** Rules common to YAML and JSON, with the same messages. */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const EXACT_INTEGER_MAX = 2 ** 53;
const INTEGER = /^[-+]?[0-9]+$|^0o[0-7]+$|^0x[0-9a-fA-F]+$/;

export function isForbiddenKey(key: string): boolean {
  return FORBIDDEN_KEYS.has(key);
}

export function addForbiddenKey(problems: ProblemList, offset: number, path: TreePath, key: string): void {
  problems.add("yaml_forbidden_key", offset, path, `The key ${shown(key)} is not allowed.`, "Choose another name.");
}

export function addDuplicateKey(problems: ProblemList, offset: number, path: TreePath, key: string): void {
  problems.add(
    "yaml_duplicate_key",
    offset,
    path,
    `The key ${shown(key)} is already set above in the same map.`,
    "Remove or rename one of the two.",
  );
}

export function addTooDeep(problems: ProblemList, offset: number, path: TreePath): void {
  problems.add(
    "yaml_too_deep",
    offset,
    path,
    `Lists and maps are nested more than ${LIMITS.textDepthMax} deep here.`,
    "Flatten the data, or pass it as text.",
  );
}

/** Returns the text, repaired when it cannot be stored, so that one mistake is reported once. */
export function storableText(problems: ProblemList, offset: number, path: TreePath, text: string): string {
  if (isStorable(text)) return text;
  problems.add(
    "text_unstorable",
    offset,
    path,
    "This text holds a NUL character or half of a surrogate pair, which cannot be stored.",
    "Remove the escape that writes it.",
  );
  return repaired(text);
}

/** Returns whether the number can be used. A number that lost digits can be, but is reported as a problem. */
export function checkNumber(
  problems: ProblemList,
  offset: number,
  path: TreePath,
  written: string,
  value: number,
): boolean {
  if (!Number.isFinite(value)) {
    problems.add(
      "bad_number",
      offset,
      path,
      `${clipNumber(written)} is not a finite number.`,
      "Write a finite number, or put it in quotes if it is meant as text.",
    );
    return false;
  }
  if (isBeyondExact(written, value)) {
    problems.add(
      "bad_number",
      offset,
      path,
      `${clipNumber(written)} is beyond 2^53, where integers lose digits.`,
      "Put it in quotes to keep it as text.",
    );
  }
  return true;
}

function clipNumber(written: string): string {
  return written.length > 40 ? `${written.slice(0, 39)}…` : written;
}

function isBeyondExact(written: string, value: number): boolean {
  const size = Math.abs(value);
  if (size < EXACT_INTEGER_MAX || !INTEGER.test(written)) return false;
  // The integer just above the limit is rounded down to it, so only its digits show the difference.
  return size > EXACT_INTEGER_MAX || BigInt(written.replace(/^[-+]/, "")) > BigInt(EXACT_INTEGER_MAX);
}
