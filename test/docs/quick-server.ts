import { parseArgs } from "node:util";
import { join } from "node:path";
import { EMPTY_SCRIPT } from "../../src/adapters/index.ts";
import { loadBridgeConfig } from "../../src/cli/bridge-config.ts";
import { openBridgeParts } from "../../src/cli/bridge-parts.ts";
import { HOST_SETTINGS, readConfig } from "../../src/cli/config.ts";
import { DataDirectory } from "../../src/cli/data-directory.ts";
import { DEMO_SCRIPT } from "../../src/cli/demo/script.ts";
import { DEMO_WORKFLOWS } from "../../src/cli/demo/workflows.ts";
import { startHost } from "../../src/cli/host.ts";
import type { Io } from "../../src/cli/io.ts";
import { openLog } from "../../src/cli/log.ts";
import { readOidc } from "../../src/cli/oidc.ts";
import { readSignIn } from "../../src/cli/sign-in.ts";
import { LOOPBACK_ENTRIES, readOutbound } from "../../src/cli/outbound.ts";
import { SluiceClient } from "../../src/client/index.ts";
import { NO_ORGANISATION_LIMITS } from "../../src/core/governance/index.ts";
import { adminKey, newSecret } from "../../src/server/index.ts";
import { createMemoryStore } from "../../src/store/index.ts";

export interface QuickServer {
  readonly url: string;
  readonly key: string;
  close(): Promise<void>;
}

/**
 * What `sluice up` starts, with everything in memory: for pages that neither show how it announces itself nor stop it.
 * Preparing a database for each of them would take longer than all they do.
 */
export async function startQuickServer(io: Io, argv: readonly string[]): Promise<QuickServer> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      "no-demo": { type: "boolean" },
      "no-console": { type: "boolean" },
      script: { type: "string" },
      config: { type: "string" },
    },
  });
  const hasDemo = values["no-demo"] !== true;
  const config = readConfig(io, { port: "0" }, HOST_SETTINGS);
  const directory = new DataDirectory(config.data);
  directory.create();
  const bridge = await openBridgeParts(io, {
    config: await loadBridgeConfig(io, values.config),
    names: null,
    script: values.script,
    ledger: undefined,
    fallbackScript: hasDemo ? DEMO_SCRIPT : EMPTY_SCRIPT,
    directory: join(config.data, "work"),
  });
  const store = createMemoryStore();
  const key = newSecret();
  await store.ensureOrganisation("default");
  await store.putKey(adminKey("default", key, io.clock.now()));
  const storage = { store, isEmbedded: true };
  const host = await startHost(io, {
    config,
    oidc: readOidc(config),
    signIn: readSignIn(io, config),
    storage,
    bridge,
    log: openLog(io, config, bridge.redactor, "text"),
    outbound: readOutbound(io, config, LOOPBACK_ENTRIES),
    hasConsole: false,
    archivesAnywhere: true,
    startRate: null,
    limits: () => NO_ORGANISATION_LIMITS,
  });
  const client = new SluiceClient({ url: host.localUrl, key });
  for (const { name, source } of hasDemo ? DEMO_WORKFLOWS : []) await client.saveWorkflow(name, source);
  directory.writeKey(key);
  directory.writeServer({ url: host.localUrl, pid: process.pid });
  return {
    url: host.localUrl,
    key,
    async close() {
      directory.removeServer();
      await host.close();
    },
  };
}
