import { afterEach, describe, expect, it } from "vitest";
import { ADMIN, type Api, createApi, ENDLESS, ORG, STRANGER } from "../../test/api/fixture.ts";
import { makeKey, signToken, startIssuer } from "../../test/oidc/issuer.ts";
import { SluiceClient } from "../client/index.ts";
import { TokenVerifier } from "../oidc/index.ts";
import { PeerAgent } from "../outbound/index.ts";
import type { ApiConfig } from "./config.ts";
import { hashSecret } from "./secret.ts";
import { serve, type Served } from "./serve.ts";

const opened: { readonly api: Api; readonly server: Served }[] = [];
afterEach(async () => {
  for (const { api, server } of opened.splice(0)) {
    await server.close(100);
    await api.close();
  }
});

async function start(config: Partial<ApiConfig> = {}, verifier?: TokenVerifier) {
  const api = await createApi({ keyCheckMs: 5, ...config }, undefined, verifier === undefined ? {} : { verifier });
  const server = await serve({ app: api.app, port: 0, host: "127.0.0.1" });
  opened.push({ api, server });
  await api.save(ENDLESS);
  const { body } = await api.request("POST", "runs", { body: { workflow: "endless" } });
  return { api, server, id: body.id as string };
}

const streamOf = (id: string): string => `runs/${id}/events/stream`;
const idOf = async (api: Api, secret: string): Promise<string> =>
  (await api.store.findKey(hashSecret(secret)))?.id ?? "";
const LAST = /event: auth\.expired\ndata: \{"type":"auth\.expired","code":"unauthenticated","detail":"[^"]+"\}\n\n$/;

describe("streams of one caller", () => {
  it("are limited, and those of an organisation, whatever others have open", async () => {
    const { api, id } = await start({ streamsPerPrincipalMax: 2, streamsPerOrganisationMax: () => 3, streamsMax: 4 });
    const open = async (key: string, path = streamOf(id)): Promise<unknown> => {
      const response = await api.ask("GET", path, { key });
      const code = response.status === 200 ? null : ((await response.json()) as { code: string }).code;
      return [response.status, code, response.headers.get("retry-after")];
    };
    const [one, two] = [await api.key(["run:read"]), await api.key(["run:read"])];
    expect(await open(one)).toEqual([200, null, null]);
    expect(await open(one, "live")).toEqual([200, null, null]);
    expect(await open(one)).toEqual([429, "stream_limit", "2"]);
    expect(await open(one, "live")).toEqual([429, "stream_limit", "2"]);
    expect(await open(two)).toEqual([200, null, null]);
    expect(await open(two)).toEqual([429, "stream_limit", "2"]);
    expect(await open(STRANGER, "live")).toEqual([200, null, null]);
    expect(await open(STRANGER, "live")).toEqual([503, "too_many_streams", "2"]);
  });
});

describe("a stream whose key has ended", () => {
  it("ends with auth.expired when the key is revoked here", async () => {
    const { api, id } = await start({ keyCheckMs: 3_600_000 });
    const key = await api.key(["run:read"]);
    const texts = [streamOf(id), "live"].map(async (path) => (await api.ask("GET", path, { key })).text());
    await expect.poll(() => api.app.streams().open).toBe(2);
    await api.request("DELETE", `keys/${await idOf(api, key)}`);
    for (const text of await Promise.all(texts)) expect(text).toMatch(LAST);
    expect(api.app.streams().open).toBe(0);
  });

  it("ends when another replica has revoked it, and no other stream does", async () => {
    const { api, id } = await start({ heartbeatMs: 3_600_000 });
    const [key, other] = [await api.key(["run:read"]), await api.key(["run:read"])];
    const text = api.ask("GET", streamOf(id), { key }).then((response) => response.text());
    await api.ask("GET", streamOf(id), { key: other });
    await expect.poll(() => api.app.streams().open).toBe(2);
    await api.store.revokeKey(ORG, await idOf(api, key), Date.now());
    expect(await text).toMatch(LAST);
    expect(api.app.streams().open).toBe(1);
  });

  it("ends when the key expires", async () => {
    const clock = { now: Date.now() };
    const { api, id } = await start({ now: () => clock.now, heartbeatMs: 3_600_000 });
    const expiresAt = new Date(clock.now + 3_600_000).toISOString();
    const { body } = await api.request("POST", "keys", { body: { label: "short", role: "viewer", expiresAt } });
    const text = api.ask("GET", streamOf(id), { key: body.key }).then((response) => response.text());
    await expect.poll(() => api.app.streams().open).toBe(1);
    clock.now += 3_600_001;
    expect(await text).toMatch(LAST);
  });

  it("shows a client that coming back needs another key", async () => {
    const { api, server, id } = await start();
    const key = await api.key(["run:read"]);
    const watching = (async () => {
      for await (const { eventId } of new SluiceClient({ url: server.url, key }).watchRun(id)) if (eventId < 0) break;
    })();
    const ended = expect(watching).rejects.toMatchObject({ status: 401, code: "unauthenticated" });
    await expect.poll(() => api.app.streams().open).toBe(1);
    await new SluiceClient({ url: server.url, key: ADMIN }).revokeKey(await idOf(api, key));
    await ended;
  });
});

it("a database that is away is reported once, and ends no stream", async () => {
  const { api, id } = await start({ heartbeatMs: 3_600_000 });
  let asked = 0;
  Object.assign(api.store, {
    listEndedKeys: async () => {
      asked += 1;
      throw new Error("away");
    },
  });
  await api.ask("GET", streamOf(id));
  await expect.poll(() => asked).toBeGreaterThan(3);
  expect(api.app.streams().open).toBe(1);
  expect(api.troubles).toEqual(["the keys of open streams could not be looked at: Error: away"]);
});

it("a token that expires ends its own streams, and none of a newer token or another organisation of its bearer", async () => {
  const key = makeKey("ES256", "k1");
  const issuer = await startIssuer([key]);
  const agent = new PeerAgent();
  try {
    let at = Date.now();
    const now = (): number => at;
    const settings = { issuer: issuer.url, audience: "sluice", organisation: { claim: "org" }, roleClaim: "role" };
    const verifier = new TokenVerifier({ ...settings, now, agent, onTrouble: () => undefined });
    const { api } = await start({ now, heartbeatMs: 3_600_000 }, verifier);
    const open = (org: string, seconds: number): Promise<Response> => {
      const claims = { iss: issuer.url, aud: "sluice", sub: "ada", role: "viewer", org };
      const exp = Math.floor(at / 1_000) + seconds;
      return api.ask("GET", "live", { key: signToken(key, { ...claims, exp }) });
    };
    const [old] = [await open(ORG, 60), await open(ORG, 600), await open("other-org", 600)];
    expect(api.app.streams().open).toBe(3);
    at += 61_000;
    expect(await old?.text()).toMatch(LAST);
    expect(api.app.streams().open).toBe(2);
  } finally {
    agent.close();
    await issuer.close();
  }
});
