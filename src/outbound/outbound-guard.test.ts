import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createAllowList } from "./allow-list.ts";
import { OutboundGuard } from "./outbound-guard.ts";
import { PeerAgent, requestPeer } from "./peer.ts";

const PUBLIC = "93.184.215.14";
const open: { close(): unknown }[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

function guarding(entries: readonly string[], answers: Readonly<Record<string, readonly string[]>> = {}) {
  const allow = createAllowList(entries);
  if (!allow.ok) throw new Error(allow.failure);
  const asked: string[] = [];
  let now = 0;
  const current: Record<string, readonly string[]> = { ...answers };
  const guard = new OutboundGuard({
    allow: allow.value,
    monotonic: () => now,
    resolve: async (host) => {
      asked.push(host);
      const found = current[host];
      if (found === undefined) throw new Error("no such name");
      return found;
    },
  });
  return { guard, asked, current, later: (ms: number) => (now += ms) };
}

async function listening(): Promise<{ readonly port: number; readonly hits: string[]; readonly server: Server }> {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(request.headers.host ?? "");
    response.end("here");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  });
  return { port: (server.address() as AddressInfo).port, hits, server };
}

function call(guard: OutboundGuard, url: string) {
  const agent = new PeerAgent(guard);
  open.push(agent);
  return { agent, get: () => requestPeer(url, { method: "GET", bytesMax: 100, agent }) };
}

describe("a URL that is saved", () => {
  it("is refused for what its name leads to, all of its addresses counted", async () => {
    const { guard } = guarding([], { "bridge.example": [PUBLIC, "10.0.0.5"], "far.example": [PUBLIC] });
    expect(await guard.check("http://bridge.example:7718")).toMatchObject({
      code: "url_private",
      hint: "The operator of the server can allow it: --allow-outbound bridge.example:7718",
    });
    expect(await guard.check("http://far.example:7718")).toBeNull();
  });

  it("is not refused because its name cannot be resolved now", async () => {
    expect(await guarding([]).guard.check("http://not-yet.example")).toBeNull();
  });

  it("needs port 80 or 443 only where messages go to strangers", async () => {
    const { guard } = guarding([], { "far.example": [PUBLIC] });
    expect(await guard.check("http://far.example:8443", { isAnyPort: false })).toMatchObject({ code: "url_port" });
    expect(await guard.check("http://far.example", { isAnyPort: false })).toBeNull();
  });

  it.each([
    [["10.0.0.0/8"], "http://10.1.2.3:7718", true],
    [["10.1.2.3:7718"], "http://10.1.2.3:7718", true],
    [["10.1.2.3:7719"], "http://10.1.2.3:7718", false],
    [["bridge.example"], "http://bridge.example:7718", true],
    [["10.1.2.3"], "http://user:password@10.1.2.3", false],
    [["0.0.0.0/0"], "http://[::1]", false],
    [["metadata.example"], "http://metadata.example", false],
    [["169.254.169.254"], "http://169.254.169.254", true],
  ])("with %j listed, %s passes: %s", async (entries, url, passes) => {
    const { guard } = guarding(entries, { "bridge.example": ["10.0.0.5"], "metadata.example": ["169.254.169.254"] });
    expect((await guard.check(url)) === null).toBe(passes);
  });
});

describe("a connection", () => {
  it("goes to the address that was checked, whatever a second question would answer", async () => {
    const { port, hits } = await listening();
    const { guard, asked, current } = guarding([`bridge.example:${port}`], { "bridge.example": ["127.0.0.1"] });
    const { get } = call(guard, `http://bridge.example:${port}/`);
    expect(await get()).toMatchObject({ ok: true, text: "here" });
    current["bridge.example"] = ["10.255.255.1"];
    // The kept connection is the one that was checked.
    expect(await get()).toMatchObject({ ok: true });
    expect(asked).toEqual(["bridge.example"]);
    expect(hits).toHaveLength(2);
  });

  it("is refused when the name leads inside since it was saved (DNS rebinding)", async () => {
    const { port, hits } = await listening();
    const { guard, current } = guarding([], { "rebind.example": [PUBLIC] });
    const url = `http://rebind.example:${port}/`;
    expect(await guard.check(url)).toBeNull();
    current["rebind.example"] = ["127.0.0.1"];
    expect(await call(guard, url).get()).toMatchObject({ ok: false, reason: "outbound_refused", wasSent: false });
    expect(hits).toEqual([]);
    // From then on it is known, without another question.
    expect(guard.known(url)).toMatchObject({ code: "url_private" });
  });

  it("is refused when one of several addresses leads inside", async () => {
    const { port, hits } = await listening();
    const { guard } = guarding([], { "rebind.example": [PUBLIC, "127.0.0.1"] });
    expect(await call(guard, `http://rebind.example:${port}/`).get()).toMatchObject({ reason: "outbound_refused" });
    expect(hits).toEqual([]);
  });

  it.each(["http://127.0.0.1:PORT/", "http://2130706433:PORT/", "http://[::ffff:127.0.0.1]:PORT/"])(
    "to %s is not opened",
    async (written) => {
      const { port, hits } = await listening();
      const { guard } = guarding([]);
      const url = written.replace("PORT", String(port));
      expect(await call(guard, url).get()).toMatchObject({ ok: false, reason: "outbound_refused", wasSent: false });
      expect(hits).toEqual([]);
    },
  );
});

describe("what is known of a peer", () => {
  it("is asked in the background once, and again a minute later", async () => {
    const { guard, asked, current, later } = guarding([], { "bridge.example": ["10.0.0.5"] });
    const url = "http://bridge.example:7718";
    expect(guard.known(url)).toBeNull();
    expect(guard.known(url)).toBeNull();
    await expect.poll(() => guard.known(url)).toMatchObject({ code: "url_private" });
    expect(asked).toHaveLength(1);
    current["bridge.example"] = [PUBLIC];
    later(60_001);
    expect(guard.known(url)).toMatchObject({ code: "url_private" });
    await expect.poll(() => guard.known(url)).toBeNull();
    expect(asked).toHaveLength(2);
  });
});
