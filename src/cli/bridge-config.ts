import { dirname, resolve } from "node:path";
import { z } from "zod";
import { ADAPTER_NAMES, type AdapterName } from "../adapters/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { readSource } from "../core/text/index.ts";
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

/** The file of `--config`: what adapters may do here, and which variables of the environment are secrets. */
export interface BridgeConfig {
  /** What runs nodes that name no provider. */
  readonly defaultProvider: string | null;
  readonly sections: Readonly<Partial<Record<AdapterName, JsonObject>>>;
  /** Adapters of other people: files that export one, beside the configuration, and what each is initialised with. */
  readonly modules: readonly { readonly path: string; readonly config: JsonObject }[];
  readonly secrets: readonly string[];
  readonly moderation: {
    /** As they are written; those that stand by default otherwise. */
    readonly rules?: JsonObject | undefined;
    /** Whoever is asked after the rules, one of the adapters. */
    readonly provider?: string | undefined;
    readonly model?: string | undefined;
  };
}

export const EMPTY_BRIDGE_CONFIG: BridgeConfig = {
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
  const read = configSchema.safeParse(tree.value);
  if (!read.success) {
    for (const { path, message } of read.error.issues) {
      const keys = path.map((segment) => (typeof segment === "number" ? segment : String(segment)));
      const { line, column } = tree.placeOf(keys);
      const where = keys.length === 0 ? "" : `${keys.join(".")}: `;
      io.err.write(`${printable(name)}:${line}:${column}: ${printable(where + message)}\n`);
    }
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
