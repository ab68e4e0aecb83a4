import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createHandClock, type HandClock } from "../../test/gateway/fake-bridge.ts";
import type { Registration } from "../bridge/index.ts";
import { createMemoryStore, type GatewayBody, type Store } from "../store/index.ts";
import { GatewayDirectory } from "./directory.ts";
import { NEW_SPEC } from "./gateway-spec.ts";
import { type GatewayView, LOCAL_GATEWAY, type LocalGateway } from "./gateway-view.ts";
import { createSecretBox } from "../seal/index.ts";

const ORG = "default";
const OTHER = "other";
const OVERLAP_MS = 600_000;

interface Setup {
  readonly clock: HandClock;
  readonly store: Store;
  readonly directory: GatewayDirectory;
  readonly changes: string[];
  readonly troubles: string[];
}

function setup(given: { store?: Store; clock?: HandClock; secret?: string; local?: LocalGateway | null } = {}): Setup {
  const clock = given.clock ?? createHandClock();
  const store = given.store ?? createMemoryStore({ now: () => clock.now() });
  const troubles: string[] = [];
  const directory = new GatewayDirectory({
    store,
    box: createSecretBox(given.secret ?? "key"),
    clock,
    local: given.local ?? null,
    onTrouble: (what) => troubles.push(what),
  });
  const changes: string[] = [];
  directory.onInstanceChange(({ orgId, id, instanceId }) => changes.push(`${orgId}/${id}/${instanceId}`));
  return { clock, store, directory, changes, troubles };
}

const registration = (more: Partial<Registration> = {}): Registration => ({
  id: "edge",
  url: "http://127.0.0.1:4000/",
  instanceId: "one",
  instanceStartedAt: "2026-01-01T00:00:00Z",
  capabilities: [],
  providers: ["ai-sdk"],
  ...more,
});

const spec = (more: Partial<GatewayBody> = {}): GatewayBody => ({
  ...NEW_SPEC,
  url: "http://127.0.0.1:4000",
  providers: ["ai-sdk"],
  ...more,
});

const hashOf = (token: string): string => createHash("sha256").update(token, "utf8").digest("hex");

async function registered(on: Setup, more: Partial<Registration> = {}) {
  const outcome = await on.directory.register(ORG, registration(more));
  if (outcome === null) throw new Error("the registration was refused");
  return outcome;
}

/** A registration that was answered with tokens. */
async function tokensOf(on: Setup, more: Partial<Registration> = {}) {
  const { tokens } = await registered(on, more);
  if (tokens === undefined) throw new Error("no tokens were given");
  return tokens;
}

const gatewayOf = (on: Setup, id = "edge"): GatewayView => {
  const found = on.directory.find(ORG, id);
  if (found === undefined) throw new Error(`no ${id}`);
  return found;
};

describe("registering", () => {
  it("makes a gateway with two tokens of its own, returned once and kept unreadable", async () => {
    const on = setup();
    const outcome = await registered(on, { name: "Edge", environment: "prod", defaultProvider: "ai-sdk" });
    expect(outcome).toMatchObject({ gatewayId: "edge", isNew: true });
    const { dispatchToken, callbackToken } = outcome.tokens ?? { dispatchToken: "", callbackToken: "" };
    expect(dispatchToken).toMatch(/^dsp_[\w-]{43}$/);
    expect(callbackToken).toMatch(/^cbt_[\w-]{43}$/);
    expect(on.directory.dispatchToken(ORG, "edge")).toBe(dispatchToken);
    expect(await on.directory.authenticate(callbackToken)).toMatchObject({ orgId: ORG, gatewayId: "edge" });
    expect(gatewayOf(on)).toMatchObject({
      name: "Edge",
      environment: "prod",
      url: "http://127.0.0.1:4000",
      status: "healthy",
      instanceId: "one",
      isLocal: false,
      defaultProvider: "ai-sdk",
    });
    const kept = JSON.stringify([
      await on.store.listGatewayLinks(ORG),
      await on.store.getEntry(ORG, "gateway", "edge"),
    ]);
    expect(kept).not.toContain(dispatchToken);
    expect(kept).not.toContain(callbackToken);
  });

  it("leaves the tokens of an instance that proves to have them", async () => {
    const on = setup();
    const { dispatchToken, callbackToken } = await tokensOf(on);
    const again = await registered(on, { callbackTokenHash: hashOf(callbackToken), url: "http://127.0.0.1:5000" });
    expect(again).toEqual({ gatewayId: "edge", isNew: false });
    expect(on.directory.dispatchToken(ORG, "edge")).toBe(dispatchToken);
    expect(gatewayOf(on).url).toBe("http://127.0.0.1:5000");
  });

  it.each([
    ["no proof", {}],
    ["a wrong proof", { callbackTokenHash: hashOf("cbt_guess") }],
    ["an empty proof", { callbackTokenHash: "" }],
  ])("gives new ones on %s", async (_, proof) => {
    const on = setup();
    const first = await tokensOf(on);
    const second = await tokensOf(on, proof);
    expect(second.dispatchToken).not.toBe(first.dispatchToken);
    expect(second.callbackToken).not.toBe(first.callbackToken);
    expect(on.directory.dispatchToken(ORG, "edge")).toBe(second.dispatchToken);
  });

  it("gives new ones when ours cannot be read any more, whatever is proved", async () => {
    const before = setup();
    const { callbackToken } = await tokensOf(before);
    const on = setup({ store: before.store, clock: before.clock, secret: "another key" });
    await on.directory.refresh(ORG);
    expect(on.directory.dispatchToken(ORG, "edge")).toBeUndefined();
    const { dispatchToken } = await tokensOf(on, { callbackTokenHash: hashOf(callbackToken) });
    expect(on.directory.dispatchToken(ORG, "edge")).toBe(dispatchToken);
  });

  it("keeps what an operator set for it", async () => {
    const on = setup();
    const ours = { isDefault: true, minTrustLevel: 4, costRank: 7, name: "Ours", url: "" };
    await on.directory.put(ORG, "edge", spec(ours), {});
    expect(await registered(on)).toMatchObject({ isNew: false });
    expect(gatewayOf(on)).toMatchObject({
      isDefault: true,
      minTrustLevel: 4,
      costRank: 7,
      name: "Ours",
      url: "http://127.0.0.1:4000",
    });
  });

  it("lets a newer instance take the place, and refuses an older one while the newer is there", async () => {
    const on = setup();
    await registered(on, { instanceStartedAt: "2026-01-01T00:00:00Z" });
    await registered(on, { instanceId: "two", instanceStartedAt: "2026-01-01T00:00:01Z" });
    const older = registration({ instanceId: "three", instanceStartedAt: "2026-01-01T00:00:00.999Z" });
    expect(await on.directory.register(ORG, older)).toBeNull();
    expect(gatewayOf(on).instanceId).toBe("two");
    await on.store.setGatewayStatus(ORG, "edge", "offline", on.clock.now());
    expect(await on.directory.register(ORG, older)).toMatchObject({ gatewayId: "edge" });
    expect(gatewayOf(on)).toMatchObject({ instanceId: "three", status: "healthy" });
  });
});

describe("tokens", () => {
  it("overlap when they are replaced, and the older one ends with the overlap", async () => {
    const on = setup();
    const first = await tokensOf(on);
    const second = await tokensOf(on, { instanceId: "two" });
    expect(await on.directory.authenticate(first.callbackToken)).toMatchObject({ gatewayId: "edge" });
    await on.clock.pass(OVERLAP_MS - 1);
    expect(await on.directory.authenticate(first.callbackToken)).toMatchObject({ gatewayId: "edge" });
    // What was looked up just before is believed for two seconds more.
    await on.clock.pass(2_000);
    expect(await on.directory.authenticate(first.callbackToken)).toBeUndefined();
    expect(await on.directory.authenticate(second.callbackToken)).toMatchObject({ gatewayId: "edge" });
  });

  it("overlap by one: of three, the first is no longer good", async () => {
    const on = setup();
    const [first, second, third] = [await tokensOf(on), await tokensOf(on), await tokensOf(on)];
    expect(await on.directory.authenticate(first.callbackToken)).toBeUndefined();
    expect(await on.directory.authenticate(second.callbackToken)).toBeDefined();
    expect(await on.directory.authenticate(third.callbackToken)).toBeDefined();
  });

  it("are given by an operator, and stay when a later word does not mention them", async () => {
    const on = setup();
    await on.directory.put(ORG, "edge", spec(), { dispatchToken: "dsp_by_hand", callbackToken: "cbt_by_hand" });
    await on.directory.put(ORG, "edge", spec({ name: "Edge" }), {});
    expect(on.directory.dispatchToken(ORG, "edge")).toBe("dsp_by_hand");
    expect(await on.directory.authenticate("cbt_by_hand")).toMatchObject({ gatewayId: "edge" });
    await on.directory.put(ORG, "edge", spec(), { callbackToken: "cbt_the_next" });
    expect(await on.directory.authenticate("cbt_by_hand")).toBeDefined();
    expect(await on.directory.authenticate("cbt_the_next")).toBeDefined();
    expect(on.directory.dispatchToken(ORG, "edge")).toBe("dsp_by_hand");
  });

  it("are no tokens when they are empty, or the hash of one", async () => {
    const on = setup();
    const { callbackToken, dispatchToken } = await tokensOf(on);
    for (const token of ["", "x", hashOf(callbackToken), dispatchToken]) {
      expect(await on.directory.authenticate(token)).toBeUndefined();
    }
  });

  it("cannot be read by another key, nor under another gateway's name", async () => {
    const on = setup();
    await tokensOf(on);
    await tokensOf(on, { id: "other" });
    const [edge, other] = await on.store.listGatewayLinks(ORG);
    if (edge === undefined || other === undefined) throw new Error("two were registered");
    await on.store.putGatewayLink({ ...other, dispatchToken: edge.dispatchToken });
    await on.directory.refresh(ORG);
    expect(on.directory.dispatchToken(ORG, "edge")).toBeDefined();
    expect(on.directory.dispatchToken(ORG, "other")).toBeUndefined();
    await on.store.putGatewayLink({ ...edge, dispatchToken: "no sealed text" });
    await on.directory.refresh(ORG);
    expect(on.directory.dispatchToken(ORG, "edge")).toBeUndefined();
  });
});

describe("leaving", () => {
  it("makes a gateway offline when its instance goes, and leaves what is known of it", async () => {
    const on = setup();
    const { callbackToken } = await tokensOf(on);
    expect(await on.directory.remove(ORG, "edge", "one")).toBe("removed");
    expect(gatewayOf(on)).toMatchObject({ status: "offline", url: "http://127.0.0.1:4000" });
    // Its last callbacks are still on their way.
    expect(await on.directory.authenticate(callbackToken)).toBeDefined();
  });

  it("does nothing for an instance that is no longer the one, nor for an unknown gateway", async () => {
    const on = setup();
    await registered(on);
    await registered(on, { instanceId: "two", instanceStartedAt: "2026-01-01T00:00:01Z" });
    expect(await on.directory.remove(ORG, "edge", "one")).toBe("newer_instance");
    expect(gatewayOf(on).status).toBe("healthy");
    expect(await on.directory.remove(ORG, "missing", "one")).toBe("unknown");
    expect(await on.directory.remove(ORG, "missing")).toBe("unknown");
  });

  it("forgets everything when an operator removes it", async () => {
    const on = setup();
    const { callbackToken } = await tokensOf(on);
    expect(await on.directory.authenticate(callbackToken)).toBeDefined();
    expect(await on.directory.remove(ORG, "edge")).toBe("removed");
    expect(on.directory.find(ORG, "edge")).toBeUndefined();
    expect(on.directory.dispatchToken(ORG, "edge")).toBeUndefined();
    expect(await on.directory.authenticate(callbackToken)).toBeUndefined();
    expect(await registered(on)).toMatchObject({ isNew: true });
  });
});

describe("what is known", () => {
  it("is of one organisation only", async () => {
    const on = setup();
    const { callbackToken } = await tokensOf(on);
    await on.directory.ensure([ORG, OTHER]);
    expect(on.directory.of(OTHER)).toEqual([]);
    expect(on.directory.find(OTHER, "edge")).toBeUndefined();
    expect(on.directory.dispatchToken(OTHER, "edge")).toBeUndefined();
    expect(await on.directory.remove(OTHER, "edge")).toBe("unknown");
    expect(await on.directory.remove(OTHER, "edge", "one")).toBe("unknown");
    expect(await on.directory.authenticate(callbackToken)).toMatchObject({ orgId: ORG });
    await on.directory.register(OTHER, registration({ url: "http://127.0.0.1:9" }));
    expect(gatewayOf(on).url).toBe("http://127.0.0.1:4000");
    expect(on.directory.all().map(({ orgId, url }) => `${orgId} ${url}`)).toEqual([
      "default http://127.0.0.1:4000",
      "other http://127.0.0.1:9",
    ]);
  });

  it("is read again every second, until it is stopped", async () => {
    const on = setup();
    const elsewhere = setup({ store: on.store, clock: on.clock });
    await on.directory.ensure([ORG]);
    on.directory.start();
    await registered(elsewhere);
    expect(on.directory.of(ORG)).toEqual([]);
    await on.clock.pass(1_000);
    expect(gatewayOf(on).instanceId).toBe("one");
    on.directory.stop();
    await elsewhere.directory.remove(ORG, "edge");
    await on.clock.pass(5_000);
    expect(gatewayOf(on).instanceId).toBe("one");
  });

  it("stays as it was while the store does not answer, and is read again afterwards", async () => {
    const clock = createHandClock();
    const memory = createMemoryStore({ now: () => clock.now() });
    let isAway = false;
    const store: Store = {
      ...memory,
      listGatewayLinks: (orgId) => (isAway ? Promise.reject(new Error("away")) : memory.listGatewayLinks(orgId)),
    };
    const on = setup({ store, clock });
    await registered(on);
    on.directory.start();
    isAway = true;
    await clock.pass(1_000);
    expect(gatewayOf(on).instanceId).toBe("one");
    expect(on.troubles).toEqual(["the gateways could not be read"]);
    isAway = false;
    await setup({ store, clock }).directory.remove(ORG, "edge", "one");
    await clock.pass(1_000);
    expect(gatewayOf(on).status).toBe("offline");
    on.directory.stop();
  });

  it("reports another instance once, and of none that is new or the same", async () => {
    const on = setup();
    const elsewhere = setup({ store: on.store, clock: on.clock });
    await on.directory.ensure([ORG]);
    on.directory.start();
    await registered(elsewhere);
    await on.clock.pass(2_000);
    expect(on.changes).toEqual([]);
    await registered(elsewhere, { instanceId: "two", instanceStartedAt: "2026-01-02T00:00:00Z" });
    await on.clock.pass(5_000);
    expect(on.changes).toEqual(["default/edge/two"]);
    on.directory.stop();
  });

  it("is never replaced by an older reading that took longer", async () => {
    const clock = createHandClock();
    const memory = createMemoryStore({ now: () => clock.now() });
    let release: () => void = () => undefined;
    let isSlow = false;
    const store: Store = {
      ...memory,
      async listGatewayLinks(orgId) {
        const links = await memory.listGatewayLinks(orgId);
        if (isSlow) await new Promise<void>((resolve) => (release = resolve));
        return links;
      },
    };
    const on = setup({ store, clock });
    await registered(on);
    isSlow = true;
    const slow = on.directory.refresh(ORG);
    isSlow = false;
    await new Promise((resolve) => setImmediate(resolve));
    await registered(on, { instanceId: "two", instanceStartedAt: "2026-01-02T00:00:00Z" });
    release();
    await slow;
    expect(gatewayOf(on).instanceId).toBe("two");
    expect(on.changes).toEqual(["default/edge/two"]);
  });

  it("holds more gateways than one page of the store", async () => {
    const on = setup();
    for (let index = 0; index < 101; index += 1) await on.directory.put(ORG, `g-${index}`, spec(), {});
    expect(on.directory.of(ORG)).toHaveLength(101);
  });
});

describe("how it is", () => {
  it("is offline as long as it has no address", async () => {
    const on = setup();
    await on.directory.put(ORG, "edge", spec({ url: "" }), {});
    expect(gatewayOf(on)).toMatchObject({ status: "offline", seenAt: null });
    await registered(on);
    expect(gatewayOf(on)).toMatchObject({ status: "healthy", seenAt: on.clock.now() });
  });

  it("does not become better because an operator renames it", async () => {
    const on = setup();
    await registered(on);
    await on.directory.remove(ORG, "edge", "one");
    await on.directory.put(ORG, "edge", spec({ name: "Edge" }), {});
    expect(gatewayOf(on)).toMatchObject({ name: "Edge", status: "offline" });
  });
});

describe("the Bridge in this process", () => {
  const local = { providers: ["scripted"], defaultProvider: "scripted", answersAny: true };

  it("is there without being registered, and is what it is", async () => {
    const on = setup({ local });
    await on.directory.ensure([ORG]);
    expect(gatewayOf(on, LOCAL_GATEWAY)).toMatchObject({
      isLocal: true,
      status: "healthy",
      ...local,
      isDefault: false,
    });
  });

  it("may be made the default, and serves what it has all the same", async () => {
    const on = setup({ local });
    await on.directory.put(ORG, LOCAL_GATEWAY, spec({ isDefault: true, providers: ["other"], url: "" }), {});
    expect(on.directory.of(ORG)).toHaveLength(1);
    expect(gatewayOf(on, LOCAL_GATEWAY)).toMatchObject({ isDefault: true, status: "healthy", ...local });
  });

  it("is an id like any other where nothing runs", async () => {
    const on = setup();
    await registered(on, { id: LOCAL_GATEWAY });
    expect(gatewayOf(on, LOCAL_GATEWAY)).toMatchObject({ isLocal: false, answersAny: false, providers: ["ai-sdk"] });
  });
});

describe("a Bridge that leaves", () => {
  it("is waited for, for as long as the grace lasts, and is there again when it registers", async () => {
    const on = setup();
    await registered(on);
    expect(await on.directory.remove(ORG, "edge", "one")).toBe("removed");
    expect(gatewayOf(on)).toMatchObject({ status: "offline", isAwaited: true });
    await on.clock.pass(29_999);
    await on.directory.refresh(ORG);
    expect(gatewayOf(on)).toMatchObject({ status: "offline", isAwaited: true });
    await on.clock.pass(1);
    await on.directory.refresh(ORG);
    expect(gatewayOf(on)).toMatchObject({ status: "offline", isAwaited: false });
    await registered(on, { instanceId: "two" });
    expect(gatewayOf(on)).toMatchObject({ status: "healthy", isAwaited: false });
  });
});

describe("what an instance reports of itself", () => {
  it("is known to every replica until another one speaks, whatever an operator saves", async () => {
    const on = setup();
    const models = {
      "ai-sdk": { defaultModel: "house:m", prices: { "house:m": { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } } },
    };
    const turns = { "ai-sdk": "durable" } as const;
    await on.directory.register(ORG, registration({ models, turns }), "http://one.test");
    const other = setup({ store: on.store, clock: on.clock });
    await other.directory.refresh(ORG);
    expect(gatewayOf(other)).toMatchObject({ callbackBase: "http://one.test", models, turns });
    await other.directory.put(ORG, "edge", spec({ costRank: 3 }), {});
    expect(gatewayOf(other)).toMatchObject({ costRank: 3, callbackBase: "http://one.test", models, turns });
    await other.directory.register(ORG, registration(), "http://two.test");
    expect(gatewayOf(other)).toMatchObject({ callbackBase: "http://two.test", models: {}, turns: {} });
  });
});
