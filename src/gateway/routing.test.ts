import { describe, expect, it } from "vitest";
import type { GatewayView } from "./gateway-view.ts";
import { chooseRoute, type RouteRequest } from "./routing.ts";

const gateway = (id: string, more: Partial<GatewayView> = {}): GatewayView => ({
  orgId: "default",
  id,
  name: null,
  environment: null,
  url: `http://${id}.test`,
  isDefault: false,
  minTrustLevel: 1,
  costRank: 0,
  capabilities: [],
  providers: ["ai-sdk"],
  defaultProvider: "ai-sdk",
  status: "healthy",
  instanceId: null,
  seenAt: null,
  isLocal: false,
  answersAny: false,
  isAwaited: false,
  callbackBase: null,
  models: {},
  secrets: {},
  ...more,
});

const request = (more: Partial<RouteRequest> = {}): RouteRequest => ({
  pinned: null,
  provider: "ai-sdk",
  capabilities: [],
  deployedAt: new Set(),
  ...more,
});

const chosen = (gateways: readonly GatewayView[], wanted: RouteRequest): string => {
  const choice = chooseRoute(gateways, wanted);
  return choice.kind === "found" ? `${choice.gateway.id}/${choice.provider}` : choice.message;
};

describe("who is taken", () => {
  it("is the pinned gateway, whatever the others are", () => {
    const gateways = [gateway("a", { isDefault: true }), gateway("b", { status: "degraded" })];
    expect(chooseRoute(gateways, request({ pinned: "b" }))).toMatchObject({
      kind: "found",
      gateway: { id: "b" },
      losers: [{ gatewayId: "a", reason: "not_pinned" }],
    });
  });

  it("is the default one, then a registered Bridge, then a healthy one, then the first by code unit", () => {
    const local = gateway("local", { isLocal: true });
    const all = [local, gateway("b"), gateway("Z"), gateway("a", { status: "degraded" })];
    expect(chosen(all, request())).toBe("Z/ai-sdk");
    expect(chosen([...all, gateway("z", { isDefault: true, status: "degraded" })], request())).toBe("z/ai-sdk");
    expect(chosen([gateway("a", { status: "degraded" }), gateway("b")], request())).toBe("b/ai-sdk");
    expect(chosen([local, gateway("a", { status: "degraded" })], request())).toBe("a/ai-sdk");
    expect(chosen([local], request())).toBe("local/ai-sdk");
  });

  it("takes every provider with an asterisk, after one that serves it by its name, and what names none", () => {
    const any = gateway("any", { providers: ["*"], defaultProvider: null });
    expect(chosen([any], request({ provider: "whatever" }))).toBe("any/whatever");
    expect(chosen([any], request({ provider: null }))).toBe("any/default");
    expect(chosen([any, gateway("named")], request())).toBe("named/ai-sdk");
    expect(chosen([gateway("named")], request({ provider: "*" }))).toContain('serves the provider "*"');
  });

  it("is one whose Bridge has just gone only when nothing else is there", () => {
    const gone = gateway("gone", { status: "offline", isAwaited: true, isDefault: true });
    expect(chosen([gone], request())).toBe("gone/ai-sdk");
    expect(chosen([gone, gateway("there", { status: "degraded", costRank: 9 })], request())).toBe("there/ai-sdk");
    expect(chosen([{ ...gone, isAwaited: false }], request())).toContain("offline");
  });

  it("does not depend on the order in which they are listed, and changes nothing in the list", () => {
    const all = [gateway("c"), gateway("a"), gateway("b")];
    const before = [...all];
    expect(chosen(all, request())).toBe("a/ai-sdk");
    expect(chosen([...all].reverse(), request())).toBe("a/ai-sdk");
    expect(all).toEqual(before);
  });

  it("serves what names no provider with its own default, and passes by those without one", () => {
    const gateways = [
      gateway("a", { defaultProvider: null }),
      gateway("b", { providers: ["x"], defaultProvider: "x" }),
    ];
    expect(chosen(gateways, request({ provider: null }))).toBe("b/x");
  });

  it("stands in for any provider in a simulation, but serves those it has by their name", () => {
    const standIn = { answersAny: true, providers: ["scripted", "http"], defaultProvider: "scripted" };
    const gateways = [gateway("local", { isLocal: true, ...standIn })];
    expect(chosen(gateways, request({ provider: "ai-sdk" }))).toBe("local/scripted");
    expect(chosen(gateways, request({ provider: "http" }))).toBe("local/http");
    expect(chosen([...gateways, gateway("real")], request({ provider: "ai-sdk" }))).toBe("real/ai-sdk");
  });

  it("has every capability that is asked for", () => {
    const gateways = [gateway("a", { capabilities: ["gpu"] }), gateway("b", { capabilities: ["gpu", "eu"] })];
    expect(chosen(gateways, request({ capabilities: ["gpu", "eu"] }))).toBe("b/ai-sdk");
    expect(chosen(gateways, request({ capabilities: ["gpu"] }))).toBe("a/ai-sdk");
  });
});

/** Each layer, as a gateway that loses by it to one that is plain. */
const LAYERS: readonly (readonly [string, Partial<GatewayView>, Partial<GatewayView>])[] = [
  ["default", { isDefault: true }, {}],
  ["stand_in", {}, { providers: [], answersAny: true }],
  ["cost", {}, { costRank: 1 }],
  ["in_process", {}, { isLocal: true }],
  ["health", {}, { status: "degraded" }],
];

describe("the layers", () => {
  it.each(LAYERS)("%s decides, and is named", (reason, better, worse) => {
    for (const gateways of [
      [gateway("a", worse), gateway("b", better)],
      [gateway("b", better), gateway("a", worse)],
    ]) {
      expect(chooseRoute(gateways, request())).toMatchObject({
        kind: "found",
        gateway: { id: "b" },
        losers: [{ gatewayId: "a", reason }],
      });
    }
  });

  it.each(LAYERS.slice(0, -1).map((layer, index) => [layer[0], layer, LAYERS.slice(index + 1)] as const))(
    "%s comes before all that follow it",
    (reason, [, better, worse], later) => {
      for (const [, laterBetter, laterWorse] of later) {
        const winner = gateway("b", { ...laterWorse, ...better });
        const loser = gateway("a", { ...laterBetter, ...worse });
        expect(chooseRoute([loser, winner], request())).toMatchObject({
          gateway: { id: "b" },
          losers: [{ gatewayId: "a", reason }],
        });
      }
    },
  );

  it("compare costs by their size, and a provider only where one is asked for", () => {
    const ranks = [gateway("a", { costRank: 1_000 }), gateway("b", { costRank: 999 }), gateway("c", { costRank: 7 })];
    expect(chosen(ranks, request())).toBe("c/ai-sdk");
    const standIn = gateway("a", { providers: [], answersAny: true });
    expect(chosen([gateway("b"), standIn], request({ provider: null }))).toBe("a/ai-sdk");
  });

  it("leave no offline gateway in the race, however cheap", () => {
    const gateways = [gateway("a", { status: "offline", isDefault: true }), gateway("b", { costRank: 1_000 })];
    expect(chooseRoute(gateways, request())).toMatchObject({
      gateway: { id: "b" },
      losers: [{ gatewayId: "a", reason: "offline" }],
    });
  });
});

describe("who is not", () => {
  it("is returned with the first reason that holds, each once", () => {
    const choice = chooseRoute(
      [
        gateway("a"),
        gateway("b"),
        gateway("c", { providers: ["other"] }),
        gateway("d", { status: "offline" }),
        gateway("e", { capabilities: [] }),
      ].map((one) => (one.id === "e" ? one : { ...one, capabilities: ["gpu"] })),
      request({ capabilities: ["gpu"] }),
    );
    expect(choice.kind === "found" && choice.gateway.id).toBe("a");
    expect([...choice.losers].sort((left, right) => (left.gatewayId < right.gatewayId ? -1 : 1))).toEqual([
      { gatewayId: "b", reason: "order" },
      { gatewayId: "c", reason: "provider" },
      { gatewayId: "d", reason: "offline" },
      { gatewayId: "e", reason: "capability" },
    ]);
  });

  it.each([
    ["there is no gateway", [], request(), 'no gateway serves the provider "ai-sdk"; start a Bridge that does'],
    [
      "no gateway takes what names none",
      [],
      request({ provider: null }),
      "no gateway takes it; start a Bridge that does",
    ],
    [
      "a capability is missing",
      [gateway("a")],
      request({ capabilities: ["gpu", "eu"] }),
      'no gateway serves the provider "ai-sdk" with gpu, eu; start a Bridge that does',
    ],
    ["it is offline", [gateway("a", { status: "offline" })], request(), "a is offline; start its Bridge"],
    [
      "the pinned one is offline, and another would do",
      [gateway("a", { status: "offline" }), gateway("b")],
      request({ pinned: "a" }),
      "a is offline; start its Bridge",
    ],
  ] as const)("returns what to do when %s", (_, gateways, wanted, message) => {
    expect(chooseRoute(gateways, wanted)).toMatchObject({ kind: "none", message });
  });

  it("reports that the pinned gateway does not fit, although another would", () => {
    const choice = chooseRoute([gateway("b")], request({ pinned: "a" }));
    expect(choice).toMatchObject({ kind: "none", losers: [{ gatewayId: "b", reason: "not_pinned" }] });
    expect(choice.kind === "none" && choice.message).toContain('the gateway "a", to which the run is pinned');
  });
});

describe("a run pinned to a gateway", () => {
  const others = [gateway("b"), gateway("c")];
  const offline = gateway("a", { status: "offline" });

  it.each([
    ["is not there any more", others],
    ["is offline", [offline, ...others]],
  ])("goes elsewhere when that %s only where the workflow allows it, and records from where", (_, gateways) => {
    expect(chooseRoute(gateways, request({ pinned: "a" })).kind).toBe("none");
    expect(chooseRoute(gateways, request({ preferred: "a" })).kind).toBe("none");
    for (const pin of [{ pinned: "a" }, { preferred: "a" }]) {
      const choice = chooseRoute(gateways, request({ ...pin, mayReroute: true }));
      expect(choice).toMatchObject({ kind: "found", gateway: { id: "b" }, reroutedFrom: "a" });
    }
  });

  it("stays there while it is there, whatever the workflow allows", () => {
    const choice = chooseRoute(
      [gateway("a", { status: "degraded" }), ...others],
      request({ pinned: "a", mayReroute: true }),
    );
    expect(choice).toMatchObject({ kind: "found", gateway: { id: "a" } });
    expect(choice).not.toHaveProperty("reroutedFrom");
  });

  it("prefers the default gateway of its start to the one of now, and to none if there was none", () => {
    const now = [gateway("a"), gateway("b", { isDefault: true })];
    expect(chosen(now, request())).toBe("b/ai-sdk");
    expect(chosen(now, request({ preferred: "a" }))).toBe("a/ai-sdk");
    expect(chosen([gateway("z"), ...now], request({ preferred: "z" }))).toBe("z/ai-sdk");
    expect(chosen(now, request({ preferred: null }))).toBe("a/ai-sdk");
  });

  it("sends what its default gateway cannot take to one that can, also while that is offline", () => {
    const gateways = [offline, gateway("b", { providers: ["mcp"] })];
    expect(chosen(gateways, request({ preferred: "a", provider: "mcp" }))).toBe("b/mcp");
    expect(chosen([offline, ...others], request({ preferred: "a", deployedAt: new Set(["c"]) }))).toBe("c/ai-sdk");
  });
});
