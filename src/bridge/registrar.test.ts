import { describe, expect, it } from "vitest";
import { createVirtualClock } from "../clock/index.ts";
import type { PeerFailure, PeerReply, PeerRequest } from "../outbound/index.ts";
import { HEARTBEAT_MS, Registrar } from "./registrar.ts";

interface Asked {
  readonly at: number;
  readonly method: string;
  readonly url: string;
  readonly body: Record<string, unknown>;
}

const AWAY: PeerFailure = { ok: false, reason: "refused", wasSent: false, message: "refused" };
const answer = (status: number, body: unknown): PeerReply => ({
  ok: true,
  status,
  headers: {},
  text: typeof body === "string" ? body : JSON.stringify(body),
});
const tokens = (name: string) => ({
  gatewayId: "edge",
  tokens: { dispatchToken: `dispatch-${name}`, callbackToken: `callback-${name}` },
});

function setUp(answers: readonly (PeerReply | PeerFailure)[]) {
  const clock = createVirtualClock(0);
  const asked: Asked[] = [];
  const troubles: string[] = [];
  const refusals: string[] = [];
  let changes = 0;
  const send = (url: string, { method, body }: PeerRequest): Promise<PeerReply | PeerFailure> => {
    const reply = answers[Math.min(asked.length, answers.length - 1)] ?? AWAY;
    asked.push({ at: clock.now(), method, url, body: JSON.parse(String(body ?? "{}")) as Asked["body"] });
    return Promise.resolve(reply);
  };
  const registrar = new Registrar({
    server: "http://server.test/",
    joinToken: "join",
    registration: {
      id: "edge",
      url: "http://edge.test",
      instanceId: "i 1",
      instanceStartedAt: "2026-01-01T00:00:00.000Z",
      capabilities: [],
      providers: ["test"],
    },
    clock,
    send,
    jitter: () => 1,
    onTrouble: (message) => troubles.push(message),
    onTokens: () => (changes += 1),
    onRefused: (message) => refusals.push(message),
  });
  return { clock, asked, troubles, refusals, registrar, changes: () => changes };
}

describe("registration", () => {
  it("uses the join token until it has better ones", async () => {
    const { registrar, asked, changes } = setUp([answer(201, tokens("a"))]);
    expect([registrar.dispatchTokens(), registrar.callbackToken(), registrar.isRegistered]).toEqual([
      ["join"],
      "join",
      false,
    ]);
    await registrar.start();
    expect([registrar.dispatchTokens(), registrar.callbackToken(), registrar.isRegistered]).toEqual([
      ["dispatch-a"],
      "callback-a",
      true,
    ]);
    expect(asked[0]).toMatchObject({ method: "POST", url: "http://server.test/api/v1/gateways/register" });
    expect(changes()).toBe(1);
  });

  it("repeats itself, proving what it has, and takes new tokens beside the old", async () => {
    const { registrar, asked, clock, changes } = setUp([
      answer(201, tokens("a")),
      answer(200, { gatewayId: "edge" }),
      answer(200, tokens("b")),
    ]);
    void registrar.start();
    await clock.run(() => asked.length === 2);
    expect([registrar.dispatchTokens(), changes()]).toEqual([["dispatch-a"], 1]);
    await clock.run(() => asked.length === 3);
    await clock.run(() => true);
    expect(asked.map(({ at }) => at)).toEqual([0, HEARTBEAT_MS, 2 * HEARTBEAT_MS]);
    expect(asked.map(({ body }) => body["instanceId"])).toEqual(["i 1", "i 1", "i 1"]);
    expect(asked[0]?.body).not.toHaveProperty("callbackTokenHash");
    expect(asked[1]?.body["callbackTokenHash"]).toMatch(/^[0-9a-f]{64}$/);
    expect([registrar.dispatchTokens(), registrar.callbackToken(), changes()]).toEqual([
      ["dispatch-a", "dispatch-b"],
      "callback-b",
      2,
    ]);
  });

  it.each<[string, PeerReply | PeerFailure]>([
    ["is away", AWAY],
    ["is too old to know the route", answer(404, {})],
    ["fails", answer(500, "oops")],
    ["talks nonsense", answer(200, "<html>")],
    ["gives no tokens", answer(200, { gatewayId: "edge" })],
  ])("tries ever more slowly while the server %s, and complains once", async (_, reply) => {
    const { registrar, asked, clock, troubles } = setUp([
      ...Array.from({ length: 7 }, () => reply),
      answer(200, tokens("a")),
    ]);
    void registrar.start();
    await clock.run(() => registrar.isRegistered);
    const waits = asked.slice(1).map(({ at }, index) => at - (asked[index]?.at ?? 0));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(troubles).toHaveLength(1);
  });

  it("does not wait when a token was refused, and is not hurried twice within a second", async () => {
    const { registrar, asked, clock } = setUp([answer(201, tokens("a")), answer(200, tokens("b"))]);
    await registrar.start();
    const passed = async (ms: number): Promise<void> => {
      let isOver = false;
      clock.after(ms, () => (isOver = true));
      await clock.run(() => isOver);
    };
    registrar.registerNow();
    await passed(999);
    registrar.registerNow();
    expect(asked).toHaveLength(1);
    await passed(1);
    registrar.registerNow();
    registrar.registerNow();
    await clock.run(() => registrar.callbackToken() === "callback-b");
    expect(asked.map(({ at }) => at)).toEqual([0, 1_000]);
    await clock.run(() => asked.length === 3);
    expect(asked[2]?.at).toBe(1_000 + HEARTBEAT_MS);
    await registrar.close();
    await passed(10_000);
    registrar.registerNow();
    expect(asked.filter(({ method }) => method === "POST")).toHaveLength(3);
  });

  it.each([401, 403])("is given up at once when the server answers %i, which no waiting changes", async (status) => {
    const { registrar, asked, clock, refusals } = setUp([answer(status, { detail: "The key lacks a permission." })]);
    await registrar.start();
    await clock.run(() => false);
    expect(asked).toHaveLength(1);
    expect(refusals).toEqual([expect.stringMatching(`\\(${status}\\): The key lacks a permission.*registry:write`)]);
  });

  it("keeps trying when a key is refused that had been valid", async () => {
    const { registrar, asked, clock, refusals } = setUp([answer(200, tokens("a")), answer(403, {}), answer(200, {})]);
    void registrar.start();
    await clock.run(() => asked.length === 3);
    expect(refusals).toEqual([]);
    await registrar.close();
  });

  it("reports to every origin the server has called itself by", async () => {
    const named = (origin: string) => answer(200, { ...tokens("a"), callbackOrigin: origin });
    const { registrar, asked, clock } = setUp([named("http://one.test"), named("http://two.test")]);
    expect(registrar.callbackOrigins()).toBeNull();
    void registrar.start();
    await clock.run(() => asked.length === 3);
    expect(registrar.callbackOrigins()).toEqual(["http://server.test", "http://one.test", "http://two.test"]);
    await registrar.close();
  });

  it("keeps its tokens while the server is away", async () => {
    const { registrar, asked, clock } = setUp([answer(200, tokens("a")), AWAY]);
    void registrar.start();
    await clock.run(() => asked.length === 5);
    expect(registrar.callbackToken()).toBe("callback-a");
  });

  it("signs off by its instance, once registered, and then nothing more", async () => {
    const { registrar, asked, clock } = setUp([answer(200, tokens("a"))]);
    await registrar.start();
    await registrar.close();
    await clock.run(() => false);
    expect(asked.slice(1)).toMatchObject([
      { method: "DELETE", url: "http://server.test/api/v1/gateways/edge?instance=i%201" },
    ]);
    const stranger = setUp([AWAY]);
    await stranger.registrar.start();
    await stranger.registrar.close();
    expect(stranger.asked).toHaveLength(1);
  });
});
