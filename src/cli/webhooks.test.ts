import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, type Api, createApi, HELLO } from "../../test/api/fixture.ts";
import { callSluice } from "../../test/cli/terminal.ts";
import { createSystemClock } from "../clock/index.ts";
import { createAllowList } from "../outbound/index.ts";
import { serve } from "../server/index.ts";
import { type OpenedDeliveries, openDeliveries } from "../outside/delivery/index.ts";
import { webhookTargets } from "../outside/webhook/index.ts";
import { secretsOver } from "../../test/secrets/secrets-over.ts";

/** Time stands still, so that nothing is tried again before a test says so, however slow the machine. */
const AT = Date.now();
const clock = { ...createSystemClock(), now: () => AT };

let api: Api;
let served: Awaited<ReturnType<typeof serve>>;
let webhooks: OpenedDeliveries;
let status = 204;
const troubles: unknown[] = [];
const receiver = createServer((request, response) => {
  request.resume().on("end", () => response.writeHead(status).end());
});
beforeAll(async () => {
  api = await createApi({}, undefined, { clock });
  served = await serve({ app: api.app, port: 0, host: "127.0.0.1" });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const { port } = receiver.address() as AddressInfo;
  const allow = createAllowList([`127.0.0.1:${port}`]);
  await api.save(HELLO);
  await api.request("PUT", "webhooks/ops", { body: { url: `http://127.0.0.1:${port}/`, events: ["run.completed"] } });
  const { store, gateways } = api;
  const reach = allow.ok ? { allow: allow.value } : {};
  webhooks = openDeliveries({
    store,
    kinds: [webhookTargets({ secrets: secretsOver(store, gateways.box), clock, reach })],
    clock,
    onTrouble: (_what, error) => troubles.push(error),
  });
  api.runtime.onCommitted((runId, events) => webhooks.onCommitted(runId, events));
  webhooks.start();
});
afterAll(async () => {
  await webhooks.stop();
  await new Promise((resolve) => receiver.close(resolve));
  await served.close(0);
  await api.close();
  expect(troubles).toEqual([]);
});

const sluice = (...argv: readonly string[]) =>
  callSluice(argv, { clock, env: { SLUICE_URL: served.url, SLUICE_KEY: ADMIN } });

describe("sluice webhooks", () => {
  it("test, deliveries and redeliver print what became of a message", async () => {
    const good = await sluice("webhooks", "test", "ops");
    expect([good.code, good.out]).toEqual([0, expect.stringMatching(/^msg_\w+ arrived \(204\)\n$/)]);
    status = 500;
    const bad = await sluice("webhooks", "test", "ops", "--json");
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.out)).toMatchObject({ state: "failed", attempts: 1, lastStatus: 500 });
    const listed = await sluice("webhooks", "deliveries", "ops");
    expect(listed.out).toMatch(
      /^DELIVERY +TYPE +STATE.*\n.*failed +1 +500.*in .*It answered 500\..*\n.*delivered +1 +204/,
    );
    status = 200;
    const { id } = JSON.parse(bad.out) as { id: string };
    const again = await sluice("webhooks", "redeliver", "ops", id);
    expect([again.code, again.out]).toEqual([0, `${id} arrived (200)\n`]);
    expect((await sluice("webhooks", "test", "missing")).err).toContain('There is no webhook "missing".');
  });

  it("are sent what a run has come to", async () => {
    await api.run("hello", { who: "ann" });
    const isThere = async (): Promise<boolean> =>
      /run\.completed +delivered/.test((await sluice("webhooks", "deliveries", "ops")).out);
    while (!(await isThere())) await new Promise((resolve) => setImmediate(resolve));
  });
});

describe("sluice workflows hook", () => {
  it("makes a secret once, rotates it, and removes it", async () => {
    const made = await sluice("workflows", "hook", "hello");
    expect([made.code, made.out]).toEqual([0, expect.stringMatching(/^whsec_\S+\n$/)]);
    expect(made.err).toContain("/api/v1/hooks/hello");
    const shown = await sluice("workflows", "hook", "hello");
    expect(shown.out).toContain("--rotate makes a new one");
    expect(shown.out).not.toContain("whsec_");
    const rotated = await sluice("workflows", "hook", "hello", "--rotate", "--json");
    expect(JSON.parse(rotated.out)).toMatchObject({ set: true, secret: expect.stringMatching(/^whsec_/) });
    expect((await sluice("workflows", "hook", "hello", "--remove")).code).toBe(0);
    expect((await sluice("workflows", "hook", "hello", "--remove")).code).not.toBe(0);
    expect((await sluice("workflows", "hook", "hello", "--rotate", "--remove")).code).toBe(2);
  });
});
