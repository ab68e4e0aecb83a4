/** The same diamonds with every node dispatched over HTTP to a Bridge in its own process, and reported back over HTTP. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSystemClock } from "../src/clock/index.ts";
import { DurableDriver } from "../src/driver/index.ts";
import { openGovernance } from "../src/governance/index.ts";
import { openGateways } from "../src/gateway/index.ts";
import { PeerAgent } from "../src/outbound/index.ts";
import { adminKey, createApp, serve } from "../src/server/index.ts";
import { type Store, StoreUnavailable } from "../src/store/index.ts";
import { govern } from "./governed.ts";
import { measureDiamonds, onTrouble, ORG, type RuntimePlan } from "./runtime.ts";

const KEY = "slk_benchmark_key";

export interface WireFigure {
  readonly completionsPerSecond: number;
  readonly idleDiamondMs: number;
}

export async function measureWire(root: string, store: Store, plan: RuntimePlan): Promise<WireFigure> {
  const { driver, close } = await openWired(root, store);
  try {
    return await measureDiamonds(store, driver, plan);
  } finally {
    await close();
  }
}

export interface Wired {
  readonly driver: DurableDriver;
  /** Of the process of the Bridge. */
  readonly bridgePid: number;
  readonly close: () => Promise<void>;
}

/** A driver whose nodes are all done by a Bridge in a process of its own, as the script says. */
export async function openWired(root: string, store: Store, script = "default: echo\n"): Promise<Wired> {
  const clock = createSystemClock();
  await store.ensureOrganisation(ORG);
  await store.putKey(adminKey(ORG, KEY, clock.now()));
  const gateways = await openGateways({ store, clock, secretKey: null, local: null, onTrouble });
  const { directory, tickets } = gateways;
  const agent = new PeerAgent();
  const governance = openGovernance({ store, directory, clock, isAlone: true, startRate: null, onTrouble });
  await govern(store);
  const driver = new DurableDriver({
    store,
    clock,
    adapters: [],
    judge: governance.governor,
    remote: { directory, tickets, agent, publicUrl: () => gateways.publicUrl },
    monotonic: () => performance.now(),
    isUnavailable: (error) => error instanceof StoreUnavailable,
    supersedesAll: true,
    onTrouble,
  });
  const server = await serve({
    app: createApp({ store, runtime: driver, gateways, governance }),
    port: 0,
    host: "127.0.0.1",
  });
  gateways.publicUrl = server.url;
  gateways.start();
  await driver.start();
  const bridge = await startBridge(root, server.url, script);
  const close = async (): Promise<void> => {
    await bridge.stop();
    await driver.stop();
    gateways.stop();
    agent.close();
    await server.close(0);
  };
  try {
    await registered(() => directory.refresh(ORG).then(() => directory.of(ORG).length > 0));
    return { driver, bridgePid: bridge.pid, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface StartedBridge {
  readonly pid: number;
  stop(): Promise<void>;
}

async function startBridge(root: string, url: string, answers: string): Promise<StartedBridge> {
  const data = mkdtempSync(join(tmpdir(), "sluice-bench-bridge-"));
  const script = join(data, "script.yaml");
  writeFileSync(script, answers);
  const flags = ["bridge", "--server", url, "--token", KEY, "--port", "0", "--data", data, "--json"];
  const more = ["--adapters", "scripted", "--script", script];
  const child = spawn(process.execPath, [...process.execArgv, join(root, "bin", "sluice"), ...flags, ...more], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await Promise.race([
    new Promise<void>((resolve) => child.stdout.once("data", () => resolve())),
    ended.then(() => Promise.reject(new Error("the Bridge ended before it listened"))),
  ]);
  return {
    pid: child.pid ?? 0,
    async stop() {
      child.kill("SIGTERM");
      await ended;
      rmSync(data, { recursive: true, force: true });
    },
  };
}

const REGISTRATION_TRIES = 200;

async function registered(isThere: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < REGISTRATION_TRIES; tries += 1) {
    if (await isThere()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("the Bridge did not register");
}
