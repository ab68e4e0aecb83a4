import {
  ADAPTER_NAMES,
  type AdapterName,
  closeAdapters,
  EMPTY_SCRIPT,
  openAdapters,
  readScript,
} from "../../src/adapters/index.ts";
import { parseLimits } from "../../src/cli/limits.ts";
import { createSystemClock } from "../../src/clock/index.ts";
import { isJsonObject, type JsonObject } from "../../src/core/base/index.ts";
import { readCases } from "../../src/core/cases/index.ts";
import { EMPTY_CATALOG, readCatalog } from "../../src/core/definition/index.ts";
import { readModerationRules } from "../../src/core/moderation/index.ts";
import { checkSource } from "../../src/core/plan/index.ts";
import { readSource } from "../../src/core/text/index.ts";
import { isManifestKind, readManifestStream, readSpec } from "../../src/registry/index.ts";
import { REPOSITORY } from "../law/source.ts";
import type { Block } from "./page.ts";

/** What is wrong with a block of YAML, judged by whatever in Sluice would read it; empty: nothing. */
export async function problemsOfYaml(block: Block): Promise<readonly string[]> {
  const { text, words } = block;
  if (words.has("step")) return fragmentProblems(`name: shown\nsteps:\n${text.replaceAll(/^/gm, "  ")}`);
  if (/^kind: /m.test(text)) return manifestProblems(text);
  const { tree, problems } = readSource(new TextEncoder().encode(text));
  const value = tree?.value;
  if (!isJsonObject(value)) return problems.length > 0 ? problems.map(({ message }) => message) : ["it is no map"];
  const has = (...keys: string[]): boolean => keys.some((key) => Object.hasOwn(value, key));
  if (has("steps") || has("format")) return workflowProblems(text);
  if (has("cases")) return readCases(text).problems.map(({ message }) => message);
  if (has("words", "patterns", "max_characters")) {
    const rules = readModerationRules(value);
    return rules.ok ? [] : rules.failure.map(({ message }) => message);
  }
  if (has("adapters", "modules", "secrets", "default_provider", "moderation")) return bridgeProblems(value);
  if (has("library", "lenses"))
    return readCatalog(new TextEncoder().encode(text)).problems.map(({ message }) => message);
  if (has("nodes", "seed") || value["default"] === "echo")
    return readScript(text).problems.map(({ message }) => message);
  if (has("organisations")) return limitsProblems(text);
  return [`it is no known kind of file: ${Object.keys(value).join(", ")}`];
}

function limitsProblems(text: string): readonly string[] {
  try {
    parseLimits("limits", new TextEncoder().encode(text));
    return [];
  } catch (thrown) {
    return [thrown instanceof Error ? thrown.message : String(thrown)];
  }
}

function workflowProblems(text: string): readonly string[] {
  const { problems, warnings } = checkSource(text, EMPTY_CATALOG);
  const missing = new Set(["unknown_library_step"]);
  return [...problems, ...warnings]
    .filter(({ code }) => !missing.has(code))
    .map(({ code, message }) => `${code}: ${message}`);
}

/** A part of a file may speak of what stands elsewhere in it. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  "unknown_step",
  "unknown_role",
  "unknown_phase",
  "unknown_library_step",
]);

function fragmentProblems(text: string): readonly string[] {
  const { problems } = checkSource(text, EMPTY_CATALOG);
  return problems.filter(({ code }) => !ELSEWHERE.has(code)).map(({ code, message }) => `${code}: ${message}`);
}

function manifestProblems(text: string): readonly string[] {
  const { manifests, problems } = readManifestStream(new TextEncoder().encode(text));
  return [
    ...problems.map(({ message }) => message),
    ...manifests.flatMap(({ kind, name, spec }) => {
      if (!isManifestKind(kind)) return [`there is no kind ${kind}`];
      const read = readSpec(kind, name, spec);
      return read.ok ? [] : read.problems.map(({ message }) => `${kind} ${name}: ${message}`);
    }),
  ];
}

const BRIDGE_KEYS = ["adapters", "modules", "secrets", "default_provider", "moderation"];

async function bridgeProblems(value: JsonObject): Promise<readonly string[]> {
  const strangers = Object.keys(value).filter((key) => !BRIDGE_KEYS.includes(key));
  const sections = (value["adapters"] ?? {}) as Partial<Record<AdapterName, JsonObject>>;
  const names = ADAPTER_NAMES.filter((name) => Object.hasOwn(sections, name));
  const unknown = Object.keys(sections).filter((name) => !names.some((known) => known === name));
  const setup = { names, sections, env: {}, clock: createSystemClock(), directory: REPOSITORY, script: EMPTY_SCRIPT };
  try {
    await closeAdapters(await openAdapters({ ...setup, ledger: null }));
  } catch (thrown) {
    return [String(thrown)];
  }
  return [...strangers, ...unknown].map((name) => `a configuration has no ${name}`);
}
