import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Adapter, ADAPTER_SPECIFICATION } from "../adapter/index.ts";
import {
  type AdapterName,
  type AdapterSetup,
  EMPTY_SCRIPT,
  openAdapters,
  type Script,
  SCRIPTED_PROVIDER,
} from "../adapters/index.ts";
import { secretNamesIn } from "../core/base/index.ts";
import { readModerationRules } from "../core/moderation/index.ts";
import { createRedactor, type Redactor } from "../core/redaction/index.ts";
import { AdapterGateway, createNodeModeration, type NodeModeration } from "../driver/moderation/index.ts";
import { loadAdapterFile } from "./adapter-file.ts";
import type { BridgeConfig } from "./bridge-config.ts";
import { isAlive } from "./data-directory.ts";
import type { Io } from "./io.ts";
import { openLedger } from "./ledger-file.ts";
import { Refusal } from "./refusal.ts";
import { loadScript } from "./simulation.ts";
import { reasonOf } from "./source-file.ts";
import { printable } from "./terminal-text.ts";

/** The parts of a Bridge, which runs in a server's process or in its own. */
export interface BridgeParts {
  readonly adapters: readonly Adapter[];
  readonly defaultProvider: string | null;
  /** True in a simulation, where the scripted adapter replaces every provider. */
  readonly answersAny: boolean;
  readonly redactor: Redactor;
  readonly moderation: NodeModeration;
}

export interface BridgePartsOptions {
  readonly config: BridgeConfig;
  /** The adapters to open. Null selects them from the configuration. */
  readonly names: readonly AdapterName[] | null;
  readonly script: string | undefined;
  readonly ledger: string | undefined;
  /** The script that is used when none is given. */
  readonly fallbackScript?: Script;
  readonly directory: string;
}

export async function openBridgeParts(io: Io, options: BridgePartsOptions): Promise<BridgeParts> {
  const { config, directory } = options;
  const isSimulation = options.script !== undefined && options.names === null && isBare(config);
  const script =
    options.script === undefined
      ? (options.fallbackScript ?? EMPTY_SCRIPT)
      : await loadScript(io, options.script, null);
  const ledger = options.ledger === undefined ? null : openLedger(io, options.ledger);
  const names = options.names ?? (isSimulation ? ["scripted" as const] : usualNames(config));
  const { sections } = config;
  const work = ownWorkDirectory(directory);
  const own = await open({ names, sections, env: io.env, clock: io.clock, directory: work, script, ledger });
  const adapters = [...own, ...(await openModules(io, config))];
  const providers = adapters.map(({ provider }) => provider);
  const wanted = config.defaultProvider ?? SCRIPTED_PROVIDER;
  if (config.defaultProvider !== null && !providers.includes(config.defaultProvider)) {
    throw new Refusal(
      `default_provider is ${printable(config.defaultProvider)}, but the adapters here are ${providers.join(", ")}`,
    );
  }
  return {
    adapters,
    defaultProvider: providers.includes(wanted) ? wanted : null,
    answersAny: isSimulation,
    redactor: createRedactor(secretsOf(io, config)),
    moderation: moderationOf(io, config, adapters),
  };
}

function moderationOf(io: Io, { moderation }: BridgeConfig, adapters: readonly Adapter[]): NodeModeration {
  const { rules: written, provider, model } = moderation;
  const rules = written === undefined ? undefined : readModerationRules(written);
  if (rules?.ok === false) {
    const [first] = rules.failure;
    throw new Refusal(`moderation.rules: ${printable(first?.message ?? "they cannot be read")}`);
  }
  const adapter = adapters.find((one) => one.provider === provider);
  if (provider !== undefined && adapter === undefined) {
    const known = adapters.map((one) => one.provider).join(", ");
    throw new Refusal(`moderation.provider is ${printable(provider)}, but the adapters here are ${known}`);
  }
  return createNodeModeration({
    ...(rules === undefined ? {} : { rules: rules.value }),
    gateway:
      adapter === undefined
        ? null
        : new AdapterGateway({ adapter, clock: io.clock, ...(model === undefined ? {} : { model }) }),
  });
}

async function open(setup: AdapterSetup): Promise<readonly Adapter[]> {
  try {
    return await openAdapters(setup);
  } catch (mistake) {
    throw new Refusal(printable(mistake instanceof Error ? mistake.message : String(mistake)));
  }
}

/** Creates a work directory for this process, and removes those of processes that no longer exist. */
function ownWorkDirectory(directory: string): string {
  const own = join(directory, String(process.pid));
  mkdirSync(own, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(directory)) {
    if (/^\d+$/.test(name) && !isAlive(Number(name))) rmSync(join(directory, name), { recursive: true, force: true });
  }
  return own;
}

async function openModules(io: Io, { modules }: BridgeConfig): Promise<readonly Adapter[]> {
  const adapters: Adapter[] = [];
  for (const { path, config } of modules) {
    const { adapter } = await loadAdapterFile(io, path);
    const written: string = adapter.specificationVersion;
    if (written !== ADAPTER_SPECIFICATION) {
      throw new Refusal(
        `${printable(path)} is written for adapter interface ${printable(written)}; this one is ${ADAPTER_SPECIFICATION}`,
      );
    }
    try {
      await adapter.initialize(config);
    } catch (mistake) {
      throw new Refusal(`${printable(path)}: ${printable(reasonOf(mistake))}`);
    }
    adapters.push(adapter);
  }
  return adapters;
}

function isBare({ sections, modules, defaultProvider }: BridgeConfig): boolean {
  return Object.keys(sections).length === 0 && modules.length === 0 && defaultProvider === null;
}

/** Returns the default adapters. Those that run commands, connect to MCP servers or need an installation must be configured. */
function usualNames({ sections }: BridgeConfig): readonly AdapterName[] {
  const listed = (["process", "mcp", "claude-agent", "openclaw"] as const).filter(
    (name) => sections[name] !== undefined,
  );
  return ["scripted", "ai-sdk", "http", ...listed];
}

const SECRET_VARIABLE = /(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)$/i;

/** Returns the values of all variables that are listed as secrets, referenced as secrets, or have a name like one. */
function secretsOf({ env }: Io, { secrets, sections }: BridgeConfig): { name: string; value: string }[] {
  const referred = secretNamesIn(JSON.stringify(sections));
  const called = Object.keys(env).filter((name) => SECRET_VARIABLE.test(name));
  return [...new Set([...secrets, ...referred, ...called])].flatMap((name) => {
    const value = env[name] ?? "";
    return value === "" ? [] : [{ name, value }];
  });
}
