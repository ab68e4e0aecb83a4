import type { Adapter } from "../adapter/index.ts";
import type { Clock } from "../clock/index.ts";
import { isJsonObject, type JsonObject } from "../core/base/index.ts";
import type { Ledger } from "./scripted/ledger.ts";
import type { Script } from "../core/script/index.ts";
import { createScriptedAdapter } from "./scripted/scripted-adapter.ts";

export const ADAPTER_NAMES = ["scripted", "ai-sdk", "http", "process", "mcp", "claude-agent", "openclaw"] as const;
export type AdapterName = (typeof ADAPTER_NAMES)[number];

export interface AdapterSetup {
  readonly names: readonly AdapterName[];
  /** The configuration section of each adapter. A missing section counts as empty. */
  readonly sections: Readonly<Partial<Record<AdapterName, JsonObject>>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** The directory that contains the directories of processes. */
  readonly directory: string;
  readonly script: Script;
  readonly ledger: Ledger | null;
}

/** Opens and initializes the adapters of one Bridge. Rejects at the first wrong section, after closing all of them. */
export async function openAdapters(setup: AdapterSetup): Promise<readonly Adapter[]> {
  const opened: Adapter[] = [];
  for (const name of setup.names) {
    const section = setup.sections[name] ?? {};
    for (const adapter of await adaptersOf(name, section, setup)) {
      opened.push(adapter);
      try {
        await adapter.initialize(section);
      } catch (mistake) {
        await closeAdapters(opened);
        throw mistake;
      }
    }
  }
  return opened;
}

export async function closeAdapters(adapters: readonly Adapter[]): Promise<void> {
  await Promise.allSettled(adapters.map((adapter) => adapter.shutdown()));
}

/** Loads only the adapters that are named, because most Bridges use two or three of them. */
async function adaptersOf(name: AdapterName, section: JsonObject, setup: AdapterSetup): Promise<readonly Adapter[]> {
  const { env, clock, directory, script, ledger } = setup;
  switch (name) {
    case "scripted":
      return [createScriptedAdapter({ script, clock, ...(ledger === null ? {} : { ledger }) })];
    case "ai-sdk":
      return aiSdkAdapters(section, setup);
    case "http": {
      const { createHttpAdapter } = await import("./http/http-adapter.ts");
      return [createHttpAdapter({ env, clock })];
    }
    case "process": {
      const { createProcessAdapter } = await import("./process/process-adapter.ts");
      return [createProcessAdapter({ env, directory, clock })];
    }
    case "mcp": {
      const { createMcpAdapter } = await import("./mcp/mcp-adapter.ts");
      return [createMcpAdapter({ env })];
    }
    case "claude-agent": {
      const { createClaudeAgentAdapter } = await import("./claude-agent/claude-agent-adapter.ts");
      return [createClaudeAgentAdapter({ env, directory, clock })];
    }
    case "openclaw": {
      const { createOpenClawAdapter } = await import("./openclaw/openclaw-adapter.ts");
      return [createOpenClawAdapter({ env, clock })];
    }
  }
}

async function aiSdkAdapters(section: JsonObject, { env, clock }: AdapterSetup): Promise<readonly Adapter[]> {
  const { AI_SDK_PROVIDERS, createAiSdkAdapter } = await import("./ai-sdk/index.ts");
  const mcp = section["mcp"] === undefined ? null : await import("./mcp/mcp-tools.ts");
  const tools =
    mcp === null
      ? {}
      : { toolsFrom: (written: JsonObject) => mcp.openMcpTools(written, env), secretsIn: mcp.mcpSecrets };
  return modelProviders(section, AI_SDK_PROVIDERS).map((provider) =>
    createAiSdkAdapter({ provider, env, clock, ...tools }),
  );
}

/** Returns the provider ids of the AI SDK adapter: every vendor and the configured endpoints. */
function modelProviders({ endpoints }: JsonObject, vendors: readonly string[]): readonly string[] {
  const own = isJsonObject(endpoints) ? Object.keys(endpoints) : [];
  return [...new Set([...vendors, ...own])];
}
