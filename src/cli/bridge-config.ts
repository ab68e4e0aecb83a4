import { dirname, resolve } from "node:path";
import { z } from "zod";
import { ADAPTER_NAMES, type AdapterName, configSchemaOf } from "../adapters/index.ts";
import { formatPath, getOwn, isJsonObject, type JsonObject, type Problem, type TreePath } from "../core/base/index.ts";
import { readModerationRules } from "../core/moderation/index.ts";
import { readSource, type SourceTree } from "../core/text/index.ts";
import { partsOf, problemsOfIssues, type SpecProblem } from "../registry/index.ts";
import type { Io } from "./io.ts";
import { printProblems } from "./problem-report.ts";
import { Refusal } from "./refusal.ts";
import { readSourceFile } from "./source-file.ts";
import { printable } from "./terminal-text.ts";

const section = z.custom<JsonObject>((value) => typeof value === "object" && value !== null && !Array.isArray(value), {
  error: "must be a map",
});

const configSchema = z.strictObject({
  default_provider: z.string().min(1).max(100).optional(),
  adapters: z.partialRecord(z.enum(ADAPTER_NAMES), section).default({}),
  modules: z.array(z.strictObject({ path: z.string().min(1), config: section.default({}) })).default([]),
  secrets: z.array(z.string().min(1).max(200)).default([]),
  moderation: z
    .strictObject({
      rules: section.optional(),
      provider: z.string().min(1).max(100).optional(),
      model: z.string().min(1).max(200).optional(),
    })
    .default({}),
});

/** The content of the `--config` file: the settings of adapters, and the environment variables that are secrets. */
export interface BridgeConfig {
  /** The provider for nodes that name none. */
  readonly defaultProvider: string | null;
  readonly sections: Readonly<Partial<Record<AdapterName, JsonObject>>>;
  /** Files, relative to the configuration, that export further adapters, with the configuration of each. */
  readonly modules: readonly { readonly path: string; readonly config: JsonObject }[];
  readonly secrets: readonly string[];
  readonly moderation: {
    /** Moderation rules as written in the file. When absent, the default rules apply. */
    readonly rules?: JsonObject | undefined;
    /** The adapter that moderates after the rules. */
    readonly provider?: string | undefined;
    readonly model?: string | undefined;
  };
}

const EMPTY_BRIDGE_CONFIG: BridgeConfig = {
  defaultProvider: null,
  sections: {},
  modules: [],
  secrets: [],
  moderation: {},
};

export async function loadBridgeConfig(io: Io, name: string | undefined): Promise<BridgeConfig> {
  if (name === undefined) return EMPTY_BRIDGE_CONFIG;
  const file = await readSourceFile(io, name);
  const { tree, problems } = readSource(file.bytes);
  if (tree === null || problems.length > 0) {
    printProblems(io, file, problems);
    throw new Refusal(`the configuration ${printable(name)} cannot be read, nothing was started`);
  }
  const read = configSchema.safeParse(tree.value, { reportInput: true });
  if (!read.success) {
    printProblems(io, file, placed(problemsOfIssues(read.error.issues, configSchema, TITLE), [], tree));
    throw new Refusal(`the configuration ${printable(name)} is not valid, nothing was started`);
  }
  const { default_provider: defaultProvider = null, adapters, modules, secrets, moderation } = read.data;
  const beside = dirname(file.path);
  return {
    defaultProvider,
    sections: adapters,
    modules: modules.map(({ path, config }) => ({ path: resolve(beside, path), config })),
    secrets,
    moderation,
  };
}

const TITLE = "a configuration of a Bridge";

/** True when a document is a Bridge configuration: it has at least one of its keys, and none of a workflow. */
export function isBridgeConfig(document: JsonObject): boolean {
  const has = (key: string): boolean => Object.hasOwn(document, key);
  return Object.keys(configSchema.shape).some(has) && !["kind", "name", "steps", "format", "nodes"].some(has);
}

/** Returns all problems of a configuration that can be found without opening an adapter. */
export async function bridgeConfigProblems(tree: SourceTree): Promise<readonly Problem[]> {
  const read = configSchema.safeParse(tree.value, { reportInput: true });
  const found = read.success ? [] : placed(problemsOfIssues(read.error.issues, configSchema, TITLE), [], tree);
  const adapters = isJsonObject(tree.value) ? getOwn(tree.value, "adapters") : undefined;
  for (const name of ADAPTER_NAMES) {
    const section = adapters !== undefined && isJsonObject(adapters) ? getOwn(adapters, name) : undefined;
    if (section === undefined || !isJsonObject(section)) continue;
    found.push(...(await sectionProblems(name, section, ["adapters", name], tree)));
    const tools = name === "ai-sdk" ? getOwn(section, "mcp") : undefined;
    if (tools !== undefined && isJsonObject(tools)) {
      found.push(...(await sectionProblems("mcp", tools, ["adapters", name, "mcp"], tree)));
    }
  }
  found.push(...moderationProblems(tree));
  return found.sort((left, right) => left.line - right.line || left.column - right.column);
}

async function sectionProblems(
  name: AdapterName,
  section: JsonObject,
  base: TreePath,
  tree: SourceTree,
): Promise<readonly Problem[]> {
  const schema = await configSchemaOf(name);
  const read = schema.safeParse(section, { reportInput: true });
  if (read.success) return [];
  return placed(problemsOfIssues(read.error.issues, schema, `the adapter "${name}"`), base, tree);
}

function moderationProblems(tree: SourceTree): readonly Problem[] {
  const moderation = isJsonObject(tree.value) ? getOwn(tree.value, "moderation") : undefined;
  const rules = moderation !== undefined && isJsonObject(moderation) ? getOwn(moderation, "rules") : undefined;
  const read = rules === undefined || !isJsonObject(rules) ? undefined : readModerationRules(rules);
  if (read === undefined || read.ok) return [];
  return read.failure.map(({ path, code, message }) => {
    const at = ["moderation", "rules", ...partsOf(path, rules ?? null)];
    return {
      code,
      message,
      path: formatPath(at),
      ...(code === "unknown_key" ? tree.keyPlaceOf(at) : tree.placeOf(at)),
    };
  });
}

function placed(problems: readonly SpecProblem[], base: TreePath, tree: SourceTree): Problem[] {
  return problems.map(({ at, isAtKey = false, code, message, hint }): Problem => {
    const path = [...base, ...at];
    const place = isAtKey ? tree.keyPlaceOf(path) : tree.placeOf(path);
    return { code, message, path: formatPath(path), ...place, ...(hint === undefined ? {} : { hint }) };
  });
}
