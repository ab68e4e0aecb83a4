import type { Adapter, AdapterRequest } from "../../src/adapter/index.ts";
import { createAiSdkAdapter, type AiSdkAdapterOptions } from "../../src/adapters/ai-sdk/index.ts";
import type { JsonObject } from "../../src/core/base/index.ts";
import { attempt, type Attempt, type AttemptOptions } from "./attempt.ts";
import type { ProviderServer, Script } from "./server.ts";
import { settingsFor, type Vendor } from "./vendor.ts";

export interface Scene {
  readonly server: ProviderServer;
  readonly adapter: Adapter;
}

export interface StageOptions extends AttemptOptions {
  readonly adapter?: Partial<AiSdkAdapterOptions>;
  readonly config?: JsonObject;
}

/** Opens providers and adapters for a test file and closes all of them after each test. */
export function createStage() {
  const opened: { close(): Promise<void> }[] = [];

  const open = async (vendor: Vendor, script: Script, options: StageOptions = {}): Promise<Scene> => {
    const server = await vendor.start(script);
    const { env, config } = settingsFor(server);
    const adapter = createAiSdkAdapter({ provider: vendor.name, env, ...options.adapter });
    await adapter.initialize({ ...config, ...options.config });
    opened.push({ close: () => adapter.shutdown() }, server);
    return { server, adapter };
  };

  const play = async (
    vendor: Vendor,
    script: Script,
    request: Partial<AdapterRequest> = {},
    options: StageOptions = {},
  ): Promise<Attempt & Scene> => {
    const scene = await open(vendor, script, options);
    return { ...(await attempt(scene.adapter, { model: vendor.model, ...request }, options)), ...scene };
  };

  const clear = async (): Promise<void> => {
    for (const each of opened.splice(0)) await each.close();
  };

  return { open, play, clear };
}
