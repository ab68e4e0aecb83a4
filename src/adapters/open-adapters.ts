import type { Adapter } from "../adapter/index.ts";
import type { Clock } from "../clock/index.ts";
import { isJsonObject, type JsonObject } from "../core/base/index.ts";
import { AI_SDK_PROVIDERS, createAiSdkAdapter } from "./ai-sdk/index.ts";
import { createClaudeAgentAdapter } from "./claude-agent/claude-agent-adapter.ts";
import { createHttpAdapter } from "./http/http-adapter.ts";
import { createMcpAdapter } from "./mcp/mcp-adapter.ts";
import { openMcpTools } from "./mcp/mcp-tools.ts";
import { createOpenClawAdapter } from "./openclaw/openclaw-adapter.ts";
import { createProcessAdapter } from "./process/process-adapter.ts";
import type { Ledger } from "./scripted/ledger.ts";
import type { Script } from "./scripted/script.ts";
import { createScriptedAdapter } from "./scripted/scripted-adapter.ts";

export const ADAPTER_NAMES = ["scripted", "ai-sdk", "http", "process", "mcp", "claude-agent", "openclaw"] as const;
export type AdapterName = (typeof ADAPTER_NAMES)[number];

export interface AdapterSetup {
  readonly names: readonly AdapterName[];
  /** Each adapter's part of the configuration; what is missing is empty. */
  readonly sections: Readonly<Partial<Record<AdapterName, JsonObject>>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Where processes get their own directories. */
  readonly directory: string;
  readonly script: Script;
  readonly ledger: Ledger | null;
}

/** The adapters of one Bridge, ready for work. Rejects with the first section that is wrong; nothing is left open then. */
export async function openAdapters(setup: AdapterSetup): Promise<readonly Adapter[]> {
  const opened: Adapter[] = [];
  for (const name of setup.names) {
    const section = setup.sections[name] ?? {};
    for (const adapter of adaptersOf(name, section, setup)) {
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

function adaptersOf(name: AdapterName, section: JsonObject, setup: AdapterSetup): readonly Adapter[] {
  const { env, clock, directory, script, ledger } = setup;
  switch (name) {
    case "scripted":
      return [createScriptedAdapter({ script, clock, ...(ledger === null ? {} : { ledger }) })];
    case "ai-sdk":
      return modelProviders(section).map((provider) =>
        createAiSdkAdapter({ provider, env, clock, toolsFrom: (mcp) => openMcpTools(mcp, env) }),
      );
    case "http":
      return [createHttpAdapter({ env, clock })];
    case "process":
      return [createProcessAdapter({ env, directory, clock })];
    case "mcp":
      return [createMcpAdapter({ env })];
    case "claude-agent":
      return [createClaudeAgentAdapter({ env, directory, clock })];
    case "openclaw":
      return [createOpenClawAdapter({ env, clock })];
  }
}

/** One adapter answers to every vendor's name and to those of the configured endpoints. */
function modelProviders({ endpoints }: JsonObject): readonly string[] {
  const own = isJsonObject(endpoints) ? Object.keys(endpoints) : [];
  return [...new Set([...AI_SDK_PROVIDERS, ...own])];
}
