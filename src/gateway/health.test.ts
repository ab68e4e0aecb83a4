import { afterEach, describe, expect, it } from "vitest";
import {
  createHandClock,
  type FakeBridge,
  openFakeBridge,
  refusingUrl,
  until,
} from "../../test/gateway/fake-bridge.ts";
import { createMemoryStore } from "../store/index.ts";
import { GatewayDirectory } from "./directory.ts";
import { NEW_SPEC } from "./gateway-spec.ts";
import { GatewayHealth } from "./health.ts";
import { openGateways } from "./open-gateways.ts";
import { createSecretBox } from "../seal/index.ts";

const ORG = "default";
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function bridgeSaying(status: number, text: string): Promise<FakeBridge> {
  const bridge = await openFakeBridge(() => ({ status, text }));
  opened.push(bridge);
  return bridge;
}

async function ward(url: string) {
  const clock = createHandClock();
  const store = createMemoryStore({ now: () => clock.now() });
  const troubles: string[] = [];
  const onTrouble = (what: string): number => troubles.push(what);
  const directory = new GatewayDirectory({ store, box: createSecretBox("key"), clock, local: null, onTrouble });
  const health = new GatewayHealth({ directory, store, clock, onTrouble });
  const register = (at: string, instanceId = "one") =>
    directory.register(ORG, {
      id: "edge",
      url: at,
      instanceId,
      instanceStartedAt: "2026-01-01T00:00:00Z",
      capabilities: [],
      providers: ["ai-sdk"],
    });
  await register(url);
  return {
    clock,
    store,
    directory,
    health,
    register,
    troubles,
    status: () => directory.find(ORG, "edge")?.status,
    async ping() {
      const gateway = directory.find(ORG, "edge");
      if (gateway === undefined) throw new Error("it is registered");
      await health.ping(gateway);
      return directory.find(ORG, "edge")?.status;
    },
    history: async () => (await store.gatewayHistory(ORG, "edge", 10)).map(({ status }) => status),
  };
}

describe("a Bridge that answers", () => {
  it.each([
    ["healthy", 200, '{"status":"healthy"}', "healthy"],
    ["degraded", 200, '{"status":"degraded"}', "degraded"],
    ["offline", 200, '{"status":"offline"}', "offline"],
    ["offline, with a code that means the same", 503, '{"status":"offline"}', "offline"],
    ["something unreadable", 200, "<html>hello</html>", "degraded"],
    ["something of another shape", 200, '{"status":"fine"}', "degraded"],
    ["null", 200, "null", "degraded"],
    ["that it does not know us", 401, '{"status":401}', "degraded"],
  ])("is what it reports: %s", async (_, code, text, status) => {
    const on = await ward((await bridgeSaying(code, text)).url);
    expect(await on.ping()).toBe(status);
  });

  it("is asked with the token it was given, at its health route", async () => {
    const bridge = await bridgeSaying(200, '{"status":"healthy"}');
    const on = await ward(bridge.url);
    await on.ping();
    expect(bridge.asked).toMatchObject([
      { method: "GET", path: "/health", token: on.directory.dispatchToken(ORG, "edge") },
    ]);
  });
});

describe("a Bridge that does not answer", () => {
  it("is offline the third time, and healthy again with its first answer", async () => {
    const on = await ward(await refusingUrl());
    expect(await on.ping()).toBe("healthy");
    expect(await on.ping()).toBe("healthy");
    expect(await on.ping()).toBe("offline");
    expect(await on.ping()).toBe("offline");
    expect(await on.history()).toEqual(["offline", "healthy"]);
    const bridge = await bridgeSaying(200, '{"status":"healthy"}');
    await on.directory.put(ORG, "edge", { ...NEW_SPEC, url: bridge.url }, {});
    // What was known of the address before means nothing for this one.
    expect(on.status()).toBe("unknown");
    expect(await on.ping()).toBe("healthy");
    expect(await on.history()).toEqual(["healthy", "unknown", "offline", "healthy"]);
  });

  it("is offline only after three in a row", async () => {
    const bridge = await bridgeSaying(200, '{"status":"healthy"}');
    const on = await ward(bridge.url);
    bridge.answer = () => "reset";
    await on.ping();
    await on.ping();
    bridge.answer = () => ({ status: 200, body: { status: "healthy" } });
    await on.ping();
    bridge.answer = () => "reset";
    await on.ping();
    expect(await on.ping()).toBe("healthy");
    expect(await on.ping()).toBe("offline");
  });

  it("is not answered for by a proxy", async () => {
    const on = await ward((await bridgeSaying(502, "<html>Bad Gateway</html>")).url);
    await on.ping();
    await on.ping();
    expect(await on.ping()).toBe("offline");
  });

  it("is given three chances again after it has registered", async () => {
    const url = await refusingUrl();
    const on = await ward(url);
    for (let times = 0; times < 5; times += 1) await on.ping();
    expect(on.status()).toBe("offline");
    await on.register(url, "two");
    expect(await on.ping()).toBe("healthy");
    expect(await on.ping()).toBe("healthy");
    expect(await on.ping()).toBe("offline");
  });
});

describe("the round", () => {
  it("comes every minute, and ends when it is stopped", async () => {
    const bridge = await bridgeSaying(200, '{"status":"degraded"}');
    const on = await ward(bridge.url);
    on.health.start();
    await on.clock.pass(59_999);
    expect(bridge.asked).toHaveLength(0);
    await on.clock.pass(1);
    await until(() => on.status() === "degraded" && on.clock.waits.length === 2);
    await on.clock.pass(60_000);
    await until(() => bridge.asked.length === 2 && on.clock.waits.length === 3);
    on.health.stop();
    await on.clock.pass(300_000);
    expect(bridge.asked).toHaveLength(2);
    expect(on.clock.waits).toEqual([60_000, 60_000, 60_000]);
  });

  it("continues when the answer cannot be stored", async () => {
    const bridge = await bridgeSaying(200, '{"status":"degraded"}');
    const on = await ward(bridge.url);
    const troubles: string[] = [];
    const health = new GatewayHealth({
      directory: on.directory,
      store: { setGatewayStatus: () => Promise.reject(new Error("away")) },
      clock: on.clock,
      onTrouble: (what) => troubles.push(what),
    });
    health.start();
    await on.clock.pass(60_000);
    await until(() => troubles.length === 1 && on.clock.waits.length === 2);
    health.stop();
    expect(troubles).toEqual(["the gateways' health could not be kept"]);
  });
});

describe("opening", () => {
  it("keeps one key for tickets and one for tokens, also for the next that opens", async () => {
    const clock = createHandClock();
    const store = createMemoryStore({ now: () => clock.now() });
    const options = { store, clock, secretKey: null, local: null, onTrouble: () => undefined };
    const [first, second] = [await openGateways(options), await openGateways(options)];
    const ticket = { orgId: ORG, runId: "r", nodeId: "n", attempt: 1, expiresAt: 9 };
    expect(second.tickets.read(first.tickets.write(ticket), 0)).toEqual({ kind: "good", ticket });
    const spec = {
      name: null,
      environment: null,
      url: "http://127.0.0.1:9",
      isDefault: false,
      minTrustLevel: 1,
      costRank: 0,
    };
    const rest = { capabilities: [], providers: [], defaultProvider: null };
    await first.directory.put(ORG, "edge", { ...spec, ...rest }, { dispatchToken: "dsp_by_hand" });
    await second.directory.ensure([ORG]);
    expect(second.directory.dispatchToken(ORG, "edge")).toBe("dsp_by_hand");
    const keyed = await openGateways({ ...options, secretKey: "ours" });
    await keyed.directory.ensure([ORG]);
    expect(keyed.directory.dispatchToken(ORG, "edge")).toBeUndefined();
  });

  it("reads and asks until it is stopped", async () => {
    const clock = createHandClock();
    const store = createMemoryStore({ now: () => clock.now() });
    const gateways = await openGateways({ store, clock, secretKey: null, local: null, onTrouble: () => undefined });
    gateways.start();
    expect(new Set(clock.waits)).toEqual(new Set([1_000, 60_000]));
    gateways.stop();
    await clock.pass(600_000);
    expect(clock.waits).toHaveLength(2);
  });
});
