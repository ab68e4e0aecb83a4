import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, type Api, createApi } from "../../test/api/fixture.ts";
import { KnownHosts } from "./known-hosts.ts";
import { serve, type Served } from "./serve.ts";

const hosts = new KnownHosts(["10.0.0.7", "sluice.internal", "*.svc.local", "fd00::7"], "https://sluice.example.com/");
const HERE = "172.17.0.2";

function isAnswered(host: string | null, path = "/api/v1/runs", localAddress = HERE): boolean {
  try {
    hosts.require({ host, path, localAddress });
    return true;
  } catch {
    return false;
  }
}

describe("the name a server is called by", () => {
  it.each([
    "sluice.example.com",
    "SLUICE.Example.COM.:443",
    "sluice.internal:7717",
    "a.svc.local",
    "a.b.svc.local:80",
    "10.0.0.7:7717",
    "[fd00::7]:7717",
    "localhost",
    "localhost:9999",
    "127.0.0.1:1",
    "127.8.8.8",
    "[::1]:7717",
    HERE,
    `${HERE}:7717`,
  ])("may be %s", (host) => expect(isAnswered(host)).toBe(true));

  it.each([
    "evil.example",
    "sluice.example.com.evil.example",
    "evil-sluice.internal",
    "svc.local",
    ".svc.local",
    "evilsvc.local",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "localhost@evil.example",
    "localhost:80@evil.example",
    "localhost, evil.example",
    "localhost/evil.example",
    "localhost evil.example",
    "10.0.0.8",
    "[fd00::8]",
    "a.localhost",
    "",
    ":80",
    "[::1",
  ])("may not be %j", (host) => expect(isAnswered(host)).toBe(false));

  it("may be any address for probes, and no unknown name", () => {
    for (const path of ["/healthz", "/readyz", "/metrics"]) {
      expect(isAnswered("10.244.3.9:7717", path)).toBe(true);
      expect(isAnswered("[fd00:1::9]:7717", path)).toBe(true);
      expect(isAnswered("evil.example", path)).toBe(false);
    }
    expect(isAnswered("10.244.3.9:7717", "/")).toBe(false);
    expect(isAnswered("10.244.3.9:7717", "/healthz/../api/v1/runs")).toBe(false);
  });

  it("does not matter where there is no socket", () => expect(isAnswered(null)).toBe(true));
  it("may be an address a connection came to as IPv4 inside IPv6", () =>
    expect(isAnswered(HERE, "/", `::ffff:${HERE}`)).toBe(true));
});

describe("over a socket", () => {
  let api: Api;
  let served: Served;
  beforeAll(async () => {
    api = await createApi({ publicUrl: "https://sluice.example.com" });
    served = await serve({ app: api.app, port: 0, host: "127.0.0.1" });
  });
  afterAll(async () => {
    await served.close(0);
    await api.close();
  });

  const ask = (host: string, path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(served.port, "127.0.0.1");
      let text = "";
      socket.on("data", (piece) => (text += piece.toString("utf8")));
      socket.on("error", reject);
      socket.on("close", () => resolve(text));
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${ADMIN}\r\nconnection: close\r\n\r\n`,
      );
    });

  it.each(["/", "/docs", "/openapi.json", "/healthz", "/api/v1/runs", "/session/once?ticket=x", "/nothing"])(
    "refuses %s under a name that is not listed",
    async (path) => {
      const answer = await ask("evil.example", path);
      expect(answer).toMatch(/^HTTP\/1\.1 421 /);
      expect(answer).toContain('"code":"unknown_host"');
      expect(answer).toContain("--allow-host evil.example");
      expect(answer).toContain("x-request-id");
    },
  );

  it("answers under its own names", async () => {
    for (const host of ["sluice.example.com", `127.0.0.1:${served.port}`, "localhost"]) {
      expect(await ask(host, "/api/v1/runs")).toMatch(/^HTTP\/1\.1 200 /);
    }
  });
});
