import { describe, expect, it } from "vitest";
import { createInProcessFetch } from "./in-process-fetch.ts";

describe("fetch in process", () => {
  it("gives the handler's answer as it is", async () => {
    const fetchHere = createInProcessFetch(async (request) => {
      const sent = await request.text();
      return Response.json({ sent, key: request.headers.get("authorization") }, { status: 201, headers: { a: "b" } });
    });
    const options = {
      method: "POST",
      body: "x",
      headers: { authorization: "y" },
      signal: new AbortController().signal,
    };
    const response = await fetchHere("http://here/z", options);
    expect([response.status, response.headers.get("a")]).toEqual([201, "b"]);
    expect(await response.json()).toEqual({ sent: "x", key: "y" });
    expect((await createInProcessFetch(() => new Response(null, { status: 204 }))("http://here/")).status).toBe(204);
  });

  it("ends an endless answer when its signal aborts, on both sides", async () => {
    const leave = new AbortController();
    let isLeft = false;
    const endless = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array([1])),
      cancel: () => {
        isLeft = true;
      },
    });
    const response = await createInProcessFetch(() => new Response(endless))("http://here/", { signal: leave.signal });
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value).toEqual(new Uint8Array([1]));
    const next = reader?.read();
    leave.abort();
    await expect(next).rejects.toThrow();
    expect(isLeft).toBe(true);
  });

  it("asks nothing once aborted, and takes no answer that comes too late", async () => {
    await expect(
      createInProcessFetch(() => expect.fail("asked"))("http://here/", { signal: AbortSignal.abort() }),
    ).rejects.toThrow();
    const leave = new AbortController();
    let isLeft = false;
    const late = new ReadableStream({
      cancel: () => {
        isLeft = true;
      },
    });
    const fetchHere = createInProcessFetch(() => {
      leave.abort();
      return new Response(late);
    });
    await expect(fetchHere("http://here/", { signal: leave.signal })).rejects.toThrow();
    expect(isLeft).toBe(true);
  });
});
