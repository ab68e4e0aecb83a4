import { createServer, type AddressInfo, type Server } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { PeerAgent, requestPeer } from "../../../src/outbound/index.ts";
import { Prng } from "../../simulation/prng.ts";
import { FAULTS, Proxy } from "./proxy.ts";
import { waitFor } from "./waiting.ts";

const REPLY = `HTTP/1.1 200 OK\r\ncontent-length: 400\r\n\r\n${"x".repeat(400)}`;
const BODY = JSON.stringify({ text: "hello ".repeat(50) });

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Answers every request that arrives whole; `bodies` holds what arrived. */
async function openStage() {
  const bodies: string[] = [];
  const server: Server = createServer((socket) => {
    let text = "";
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      text += chunk.toString("utf8");
      const body = text.split("\r\n\r\n")[1] ?? "";
      if (body.length < BODY.length) return;
      bodies.push(body);
      socket.write(REPLY);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  let isThere = true;
  const port = (server.address() as AddressInfo).port;
  const proxy = await Proxy.open({ dice: new Prng(1), upstream: () => (isThere ? port : null) });
  const agent = new PeerAgent();
  closing.push(
    () => server.close(),
    () => proxy.close(),
    () => agent.close(),
  );
  const leave = (): void => void (isThere = false);
  const ask = (signal = new AbortController().signal) =>
    requestPeer(proxy.url, { method: "POST", body: BODY, bytesMax: 1_000, signal, agent });
  return { proxy, ask, bodies, leave };
}

describe("the proxy", () => {
  it("passes requests and answers in fair weather, on one connection and on several", async () => {
    const { proxy, ask, bodies } = await openStage();
    const replies = [await ask(), await ask(), ...(await Promise.all([ask(), ask()]))];
    for (const reply of replies) expect(reply).toMatchObject({ ok: true, status: 200, text: "x".repeat(400) });
    expect(bodies).toEqual(Array.from({ length: 4 }, () => BODY));
    expect(proxy.requests).toHaveLength(4);
    expect(proxy.faultCount).toBe(0);
  });

  it("deals every kind of fault; answers arrive whole or not at all, requests once, twice or never", async () => {
    const { proxy, ask, bodies } = await openStage();
    proxy.weather = { kind: "foul", share: 1 };
    const outcomes = new Set<string>();
    // Not counted by requests: one that runs into a connection just cut off never reaches the proxy.
    while (proxy.faultCount < 4 * FAULTS.length) {
      const reply = await ask();
      outcomes.add(reply.ok ? "answered" : reply.reason);
      if (reply.ok) expect(reply.text).toBe("x".repeat(400));
    }
    expect([...proxy.faults.values()]).toEqual(FAULTS.map(() => 4));
    expect([...outcomes].toSorted()).toEqual(["answered", "reset"]);
    for (const body of bodies) expect(body).toBe(BODY);
  });

  it("keeps what comes into a hole, and lets it pass when the hole is over, answered or not", async () => {
    const { proxy, ask, bodies } = await openStage();
    proxy.weather = { kind: "hole" };
    const impatience = new AbortController();
    const unheard = ask(impatience.signal);
    await waitFor("the request", () => Promise.resolve(proxy.requests.length === 1));
    impatience.abort();
    expect(await unheard).toMatchObject({ ok: false, reason: "aborted" });
    const waiting = ask();
    await waitFor("the next request", () => Promise.resolve(proxy.requests.length === 2));
    expect(bodies).toEqual([]);
    proxy.weather = { kind: "fair" };
    expect(await waiting).toMatchObject({ ok: true });
    await waitFor("both to arrive", () => Promise.resolve(bodies.length === 2));
  });

  it("is mute, or has no target", async () => {
    const { proxy, ask, bodies, leave } = await openStage();
    proxy.weather = { kind: "mute" };
    const impatience = new AbortController();
    const unheard = ask(impatience.signal);
    await waitFor("the request to arrive", () => Promise.resolve(bodies.length === 1));
    impatience.abort();
    expect(await unheard).toMatchObject({ ok: false, reason: "aborted" });
    proxy.weather = { kind: "fair" };
    leave();
    expect(await ask()).toMatchObject({ ok: false, reason: "reset" });
  });
});
