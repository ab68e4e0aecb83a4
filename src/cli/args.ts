import { type FileValue, isJsonObject, type Json, type JsonObject, type Problem } from "../core/base/index.ts";
import { type ArgField, checkArgs } from "../core/definition/index.ts";
import { readSource } from "../core/text/index.ts";
import { describeFile } from "./local-file.ts";
import type { Io } from "./io.ts";
import { printProblems } from "./problem-report.ts";
import { Refusal } from "./refusal.ts";
import { readSourceFile } from "./source-file.ts";
import { printable } from "./terminal-text.ts";

/** Prefix of a file path in an arg. The content of that file is the value. */
const FILE_MARK = "@";

/** Returns the description of a local file and uploads it when there is a server. */
export type FileOf = (path: string) => Promise<FileValue>;

type Fields = Readonly<Record<string, ArgField>>;

/** Returns checked args with defaults. Sources in increasing priority: an earlier run, `--args-file`, `--arg`. */
export async function readArgs(
  io: Io,
  fields: Fields,
  given: { readonly arg?: readonly string[]; readonly argsFile?: string },
  before: JsonObject = {},
  fileOf: FileOf = (path) => describeFile(io, path),
): Promise<JsonObject> {
  const fromFile = given.argsFile === undefined ? {} : await readArgsFile(io, given.argsFile);
  const fromLine = (given.arg ?? []).map((text) => parseArg(fields, text));
  const all = Object.fromEntries([...Object.entries(before), ...Object.entries(fromFile), ...fromLine]);
  for (const [name, value] of Object.entries(all)) {
    const isNamed = typeof value === "string" && value.startsWith(FILE_MARK);
    if (isNamed && typeOf(fields, name) === "file") all[name] = { ...(await fileOf(value.slice(FILE_MARK.length))) };
  }
  const checked = checkArgs(fields, all);
  if (checked.ok) return checked.value;
  printArgProblems(io, checked.failure);
  throw new Refusal("the args do not fit the workflow, nothing was started");
}

async function readArgsFile(io: Io, name: string): Promise<JsonObject> {
  const file = await readSourceFile(io, name);
  const { tree, problems } = readSource(file.bytes);
  printProblems(io, file, problems);
  if (tree === null || problems.length > 0) throw new Refusal(`${printable(name)} is not valid, nothing was started`);
  if (isJsonObject(tree.value)) return tree.value;
  throw new Refusal(`${printable(name)} must hold a map of args, for example {"topic": "tides"}`);
}

/** Parses `name=value` by the declared type. A value that does not fit stays text, and the check reports it. */
function parseArg(fields: Fields, text: string): readonly [string, Json] {
  const equals = text.indexOf("=");
  if (equals < 1) throw new Refusal(`--arg ${printable(text)}: write it as name=value`);
  const name = text.slice(0, equals);
  const value = text.slice(equals + 1);
  return [name, convert(typeOf(fields, name), value)];
}

function typeOf(fields: Fields, name: string): ArgField["type"] {
  return Object.hasOwn(fields, name) ? fields[name]?.type : undefined;
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

function convert(type: ArgField["type"], text: string): Json {
  switch (type) {
    case "number":
    case "integer":
      return DECIMAL.test(text.trim()) && Number.isFinite(Number(text)) ? Number(text) : text;
    case "boolean":
      return text === "true" ? true : text === "false" ? false : text;
    case "object":
    case "array":
      return parseJson(text);
    case "file":
      return text.startsWith(FILE_MARK) ? text : parseJson(text);
    case "string":
    case undefined:
      return text;
  }
}

/** Parses JSON with the same safe reader as files, so that both have the same limits. */
function parseJson(text: string): Json {
  const { tree, problems } = readSource(text);
  const isJson = /^\s*[[{]/.test(text);
  return isJson && tree !== null && problems.length === 0 ? tree.value : text;
}

function printArgProblems(io: Io, problems: readonly Problem[]): void {
  for (const { path, code, message, hint } of problems) {
    io.err.write(`${printable(path)}: ${code}: ${printable(message)}\n`);
    if (hint !== undefined) io.err.write(`  hint: ${printable(hint)}\n`);
  }
}
