/** Explains why a module could not be loaded, with code, file, line and a hint for the author. */
import { readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Place } from "../core/base/index.ts";
import type { ModuleCode } from "./workflow-module.ts";

/** An error reported by the process that loads the module. */
export interface HostFailure {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly code?: string;
  /** Path in the definition, for errors of `sluice/workflow`. */
  readonly path?: string;
  readonly hint?: string;
}

export interface ExplainedFailure {
  readonly code: ModuleCode;
  readonly message: string;
  readonly path: string;
  readonly hint: string;
  readonly place: Place & { readonly file: string };
}

export function explainFailure(file: string, failure: HostFailure): ExplainedFailure {
  const found = placeIn(failure.stack);
  const place = found ?? { file, line: 1, column: 1 };
  if (failure.name === "WorkflowError") {
    const { code = "", message, path = "", hint = "" } = failure;
    return { code: code as ModuleCode, message, path, hint, place };
  }
  return (
    missingCompiler(file, failure) ??
    unreadable(failure) ??
    missingFile(file, failure) ??
    missingImport(file, failure) ??
    missingExport(file, failure, found) ??
    thrown(failure, place)
  );
}

/** Explains a missing esbuild binary. npm does not install it without optional packages and install scripts. */
function missingCompiler(file: string, { message }: HostFailure): ExplainedFailure | undefined {
  const [, wanted] = /The package "(@esbuild\/[^"]+)" could not be found/.exec(message) ?? [];
  if (wanted === undefined) return undefined;
  const place = { file, line: 1, column: 1 };
  const what = `TypeScript cannot be read here: the package ${wanted} is missing.`;
  return { code: "missing_import", message: what, path: "", hint: `Install it: npm install ${wanted}.`, place };
}

const SYNTAX = /(?:^|\n)\s*(\S.*?):(\d+):(\d+): ERROR: (.*)/;

/** Explains a syntax error that esbuild reported. */
function unreadable({ message, stack }: HostFailure): ExplainedFailure | undefined {
  const [, found = "", line, column, what = ""] = SYNTAX.exec(message) ?? SYNTAX.exec(stack) ?? [];
  if (found === "") return undefined;
  const place = { file: found, line: Number(line), column: Number(column) + 1 };
  return { code: "module_unreadable", message: `${what}.`, path: "", hint: syntaxHint(what), place };
}

function syntaxHint(what: string): string {
  const isForModules = what.includes('"cjs" output format');
  return isForModules ? 'Write "type": "module" in package.json, so that files are ES modules.' : "Fix the syntax.";
}

function missingFile(file: string, { code, message }: HostFailure): ExplainedFailure | undefined {
  const isMissing = code === "ERR_MODULE_NOT_FOUND" && !message.includes("imported from");
  if (!isMissing && code !== "ENOENT") return undefined;
  const place = { file, line: 1, column: 1 };
  return { code: "module_unreadable", message: "There is no such file.", path: "", hint: "Check the path.", place };
}

const REQUIRE = /Cannot find module '([^']+)'\nRequire stack:\n- (\S+)/;
const IMPORT = /Cannot find (?:package|module) '([^']+)' imported from (\S+)/;

function missingImport(file: string, { code, message }: HostFailure): ExplainedFailure | undefined {
  if (code !== "ERR_MODULE_NOT_FOUND" && code !== "ERR_PACKAGE_PATH_NOT_EXPORTED" && code !== "MODULE_NOT_FOUND") {
    return undefined;
  }
  const [, wanted = "", from = file] = IMPORT.exec(message) ?? REQUIRE.exec(message) ?? [];
  const importer = from.startsWith("file:") ? fileURLToPath(from) : from;
  // The module host imports the workflow file itself, so the missing file is the workflow file.
  if (/module-host\.[cm]?js$/.test(importer)) {
    const place = { file, line: 1, column: 1 };
    return { code: "module_unreadable", message: "There is no such file.", path: "", hint: "Check the path.", place };
  }
  const isPackage = !/^(?:[./\\]|[A-Za-z]:|file:)/.test(wanted);
  const hint = isPackage ? `Install it: npm install ${packageOf(wanted)}.` : "Check the path and the extension.";
  const what = wanted === "" ? message.split("\n", 1)[0] : `The import "${wanted}" was not found.`;
  return { code: "missing_import", message: what ?? "", path: "", hint, place: importPlace(importer, wanted) };
}

/** Finds the line of the import by the imported name, if possible. */
function importPlace(file: string, wanted: string): ExplainedFailure["place"] {
  const name = basename(wanted, extname(wanted));
  const lines = readLines(file);
  const index = lines.findIndex((text) => /\b(?:import|from|require)\b/.test(text) && text.includes(name));
  if (name === "" || index === -1) return { file, line: 1, column: 1 };
  return { file, line: index + 1, column: (lines[index]?.indexOf(name) ?? 0) + 1 };
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    return [];
  }
}

function packageOf(name: string): string {
  return name.split("/", name.startsWith("@") ? 2 : 1).join("/");
}

const NO_EXPORT = /The requested module '([^']+)' does not provide an export named '([^']+)'/;
/** The same error for a file that is not an ES module: the import is called but is not defined. */
const NO_FUNCTION = /^\(0 , import_\w+\.(\w+)\) is not a function/;

function missingExport(
  file: string,
  { message, stack }: HostFailure,
  called: ExplainedFailure["place"] | undefined,
): ExplainedFailure | undefined {
  const [, from = "", name = NO_FUNCTION.exec(message)?.[1]] = NO_EXPORT.exec(message) ?? [];
  if (name === undefined) return undefined;
  const what = from === "" ? `What is imported as "${name}" is not exported there.` : `"${from}" exports no "${name}".`;
  // Node prints the importing file above the message, without a stack frame.
  const [importer = file] = /^file:\S+?(?=:\d+\n)/.exec(stack) ?? [];
  const place = called ?? importPlace(importer.startsWith("file:") ? fileURLToPath(importer) : importer, name);
  return { code: "missing_import", message: what, path: "", hint: "Check the name.", place };
}

function thrown({ name, message }: HostFailure, place: ExplainedFailure["place"]): ExplainedFailure {
  const [first = ""] = message.split("\n", 1);
  const what = name === "" || name === "Error" ? first : `${name}: ${first}`;
  const hint = "The function of a workflow runs once, on references: it must not need values, files or a network.";
  return { code: "module_failed", message: `The module threw: ${what}`, path: "", hint, place };
}

const FRAME = /(?:\(|at (?:async )?)((?:file:\/\/)?[^()\s][^()]*?):(\d+):(\d+)\)?$/;
const FOREIGN = /[\\/]node_modules[\\/]|^node:|module-host\.mjs|[\\/](?:src|dist)[\\/]workflow[\\/][a-z-]+\.[jt]s/;

/** Returns the first stack frame that is in the author's own code. */
function placeIn(stack: string): ExplainedFailure["place"] | undefined {
  for (const line of stack.split("\n")) {
    const [, found = "", row, column] = FRAME.exec(line.trim()) ?? [];
    if (found === "" || FOREIGN.test(found)) continue;
    const file = found.startsWith("file:") ? fileURLToPath(found.replace(/\?.*$/, "")) : found;
    return { file, line: Number(row), column: Number(column) };
  }
  return undefined;
}
