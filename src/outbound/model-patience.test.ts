import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createModelFetch } from "./model-fetch.ts";

// The client keeps one timer for all its limits, so that time must be false before it is first used: a file of its own.
beforeAll(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] });
});
afterAll(() => {
  vi.useRealTimers();
});

const MINUTES = 60_000;

it("waits for headers and for every piece longer than ten minutes, where a client of its own accord would not", async () => {
  const held = new Map<string, ServerResponse>();
  let onHeld: () => void = () => undefined;
  const areHeld = new Promise<void>((resolve) => (onHeld = resolve));
  const server = createServer((request, response) => {
    held.set(request.url ?? "", response);
    if (held.size === 2) onHeld();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const undici = await import("undici");
  const agent = new undici.Agent();
  const model = createModelFetch();

  const ordinary = undici.fetch(`${url}/ordinary`, { dispatcher: agent }).then(
    () => "answered",
    (error: Error) => (error.cause as { readonly code?: string }).code,
  );
  const patient = model.fetch(`${url}/patient`);
  await areHeld;
  await vi.advanceTimersByTimeAsync(11 * MINUTES);
  expect(await ordinary).toBe("UND_ERR_HEADERS_TIMEOUT");
  held.get("/patient")?.write("slow ");
  const response = await patient;
  await vi.advanceTimersByTimeAsync(11 * MINUTES);
  held.get("/patient")?.end("but sure");
  expect(await response.text()).toBe("slow but sure");

  await Promise.all([agent.destroy(), model.close()]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
