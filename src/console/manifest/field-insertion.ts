import { type Json } from "../../core/base/index.ts";
import { printYaml } from "../../core/text/index.ts";
import { readSpecText } from "./spec-text.ts";

export interface Insertion {
  readonly text: string;
  /** Place of the value of the field. */
  readonly line: number;
  readonly column: number;
}

/** Adds a field at the end of a spec and returns its place. A spec that already has the field is not changed. */
export function withField(text: string, name: string, value: Json): Insertion {
  const { spec } = readSpecText(text);
  if (spec !== null && Object.hasOwn(spec, name)) return placed(text, name);
  const appended = `${text.trimEnd()}\n${printYaml({ [name]: value })}`.trimStart();
  const after = readSpecText(appended).spec;
  // A map in braces cannot be extended below it, so the whole spec is printed again. An unreadable text is only extended.
  const isTaken = spec === null || (after !== null && Object.hasOwn(after, name));
  return placed(isTaken ? appended : printYaml(Object.fromEntries([...Object.entries(spec), [name, value]])), name);
}

function placed(text: string, name: string): Insertion {
  const { tree } = readSpecText(text);
  const lines = text.split("\n");
  const line = tree?.keyPlaceOf([name]).line ?? Math.max(1, lines.findLastIndex((each) => each.trim() !== "") + 1);
  const written = lines[line - 1] ?? "";
  // Between the quotes of an empty text, otherwise after the present value.
  return { text, line, column: written.length + (written.endsWith('""') ? 0 : 1) };
}
