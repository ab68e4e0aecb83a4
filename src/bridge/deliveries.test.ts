import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createVirtualClock, type VirtualClock } from "../clock/index.ts";
import type { PeerFailure, PeerReply, PeerRequest } from "../outbound/index.ts";
import { BATCH_BYTES_MAX } from "./callback-target.ts";
import { Deliveries } from "./deliveries.ts";
import { Outbox } from "./outbox.ts";
import { PartialChannel, streamUrlOf, TEXT_LENGTH_MAX, WAITING_LENGTH_MAX } from "./partial-channel.ts";
import { backoffMs, retryAfterMs } from "./peer-send.ts";
import { CALLBACKS_PER_BATCH_MAX, type CallbackBody } from "./wire.ts";

const URL_A = "http://127.0.0.1:1/api/workflow/step-complete";

let directory: string;
let clock: VirtualClock;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sluice-deliveries-"));
  clock = createVirtualClock(0);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

interface Sent {
  readonly at: number;
  readonly url: string;
  readonly ids: readonly string[];
  readonly token: string;
}

type Answer = Pick<PeerReply, "status"> & Partial<PeerReply>;
const AWAY: PeerFailure = { ok: false, reason: "refused", wasSent: false, message: "refused" };
const reply = ({ status, headers = {}, text = "" }: Answer): PeerReply => ({ ok: true, status, headers, text });
const body = (dispatchId: string, changes: Partial<CallbackBody> = {}): CallbackBody => ({
  dispatchId,
  runId: "r",
  stepId: "s",
  attempt: 1,
  status: "completed",
  startedAt: "2026-01-01T00:00:00.000Z",
  completedAt: "2026-01-01T00:00:00.000Z",
  ...changes,
});

function idsIn(text: string): readonly string[] {
  const read = JSON.parse(text) as { dispatchId?: string; callbacks?: { dispatchId: string }[] };
  return read.callbacks?.map(({ dispatchId }) => dispatchId) ?? [read.dispatchId ?? ""];
}

function setUp(answer: (sent: Sent, index: number) => Answer | PeerFailure) {
  const sent: Sent[] = [];
  const troubles: string[] = [];
  let token = "one";
  let [inFlight, mostInFlight] = [0, 0];
  const outbox = new Outbox({ directory, clock });
  const send = async (url: string, request: PeerRequest): Promise<PeerReply | PeerFailure> => {
    const one = {
      at: clock.now(),
      url,
      ids: idsIn(String(request.body)),
      token: request.headers?.["x-gateway-token"] ?? "",
    };
    sent.push(one);
    const answered = answer(one, sent.length - 1);
    inFlight += 1;
    mostInFlight = Math.max(mostInFlight, inFlight);
    await new Promise<void>((resolve) => void clock.after(0, resolve));
    inFlight -= 1;
    return "status" in answered ? reply(answered) : answered;
  };
  const onTrouble = (message: string): void => void troubles.push(message);
  const deliveries = new Deliveries({ clock, outbox, send, token: () => token, jitter: () => 1, onTrouble });
  const settle = (): Promise<boolean> => clock.run(() => deliveries.pendingCount === 0);
  const rotate = (next: string): void => void (token = next);
  return { sent, troubles, outbox, deliveries, settle, rotate, mostInFlight: () => mostInFlight };
}

const results = (sent: Sent, status = 200): Answer => ({
  status: 200,
  text: JSON.stringify({ results: sent.ids.map(() => ({ status, body: { received: true } })) }),
});
const accept = (sent: Sent): Answer => (sent.url.endsWith("/batch") ? results(sent) : { status: 200 });

describe("delivery of callbacks", () => {
  it("sends one alone, several together", async () => {
    const { sent, deliveries, settle } = setUp(accept);
    deliveries.deliver(body("a"), URL_A);
    await settle();
    for (const id of ["b", "c", "d"]) deliveries.deliver(body(id), URL_A);
    await settle();
    expect(sent.map(({ url, ids, token }) => [url, ids, token])).toEqual([
      [URL_A, ["a"], "one"],
      [`${URL_A}/batch`, ["b", "c", "d"], "one"],
    ]);
  });

  it.each([CALLBACKS_PER_BATCH_MAX - 1, CALLBACKS_PER_BATCH_MAX, CALLBACKS_PER_BATCH_MAX + 1])(
    "sends %i callbacks in as few requests as may be",
    async (count) => {
      const { sent, deliveries, settle } = setUp(accept);
      for (let index = 0; index < count; index += 1) deliveries.deliver(body(`d${index}`), URL_A);
      await settle();
      expect(sent.map(({ ids }) => ids.length)).toEqual(count <= 64 ? [count] : [64, count - 64]);
    },
  );

  it("sends at most four requests at a time, none beyond its weight", async () => {
    const { sent, deliveries, settle, mostInFlight } = setUp(accept);
    const stdout = "x".repeat(BATCH_BYTES_MAX / 2 - 1_000);
    for (let index = 0; index < 14; index += 1) deliveries.deliver(body(`d${index}`, { stdout }), URL_A);
    await settle();
    expect(sent.map(({ ids }) => ids.length)).toEqual([2, 2, 2, 2, 2, 2, 2]);
    expect(mostInFlight()).toBe(4);
  });

  it.each([
    [200, false],
    [204, false],
    [400, false],
    [403, false],
    [404, false],
    [409, false],
    [422, false],
    [401, true],
    [408, true],
    [429, true],
    [302, true],
    [500, true],
    [502, true],
    [503, true],
  ])("after %i tries again: %s", async (status, isRetried) => {
    const { sent, troubles, deliveries, outbox, settle } = setUp((_, index) => ({
      status: index === 0 ? status : 200,
    }));
    deliveries.deliver(body("a"), URL_A);
    await settle();
    expect(sent).toHaveLength(isRetried ? 2 : 1);
    expect(troubles).toHaveLength(status < 300 || isRetried ? 0 : 1);
    expect([outbox.undelivered(), outbox.has("a")]).toEqual([[], true]);
  });

  it("of a result that is refused for its size becomes a failure with that reason, with its bill, and is sent once more", async () => {
    const { sent, troubles, deliveries, outbox, settle } = setUp(() => ({ status: 413 }));
    deliveries.deliver({ ...body("a"), stdout: "x".repeat(100), costUsd: 0.5 }, URL_A);
    await settle();
    expect(sent).toHaveLength(2);
    expect(outbox.read("a")).toMatchObject({ status: "failed", errorCode: "body_too_large", costUsd: 0.5 });
    expect(outbox.read("a")).not.toHaveProperty("stdout");
    expect(troubles).toEqual([expect.stringContaining("413"), expect.stringContaining("dropped")]);
    expect(outbox.undelivered()).toEqual([]);
  });

  it.each<[string, Answer | PeerFailure]>([
    ["no server answers", AWAY],
    ["the server fails", { status: 500 }],
  ])("tries three times quickly, then ever more slowly, when %s", async (_, failure) => {
    const { sent, deliveries, settle } = setUp((_sent, index) => (index < 9 ? failure : { status: 200 }));
    deliveries.deliver(body("a"), URL_A);
    await settle();
    const waits = sent.slice(1).map(({ at }, index) => at - (sent[index]?.at ?? 0));
    expect(waits).toEqual([200, 1_000, 3_000, 5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  it("waits as long as the server asks", async () => {
    const busy = { status: 429, headers: { "retry-after": "17" } };
    const { sent, deliveries, settle } = setUp((_, index) => (index === 0 ? busy : { status: 200 }));
    deliveries.deliver(body("a"), URL_A);
    await settle();
    expect(sent.map(({ at }) => at)).toEqual([0, 17_000]);
  });

  it("uses the new token at once when it changes", async () => {
    const { sent, deliveries, settle, rotate } = setUp(({ token }) => ({ status: token === "two" ? 200 : 401 }));
    deliveries.deliver(body("a"), URL_A);
    await clock.run(() => clock.now() > 30_000);
    const before = sent.length;
    rotate("two");
    deliveries.wake();
    const at = clock.now();
    await settle();
    expect(sent.slice(before)).toMatchObject([{ token: "two", at }]);
  });

  it("asks with one request at a time while no server answers", async () => {
    const { sent, deliveries, settle } = setUp((one, index) => (index < 6 ? AWAY : accept(one)));
    const stdout = "x".repeat(BATCH_BYTES_MAX / 2 - 1_000);
    for (let index = 0; index < 10; index += 1) deliveries.deliver(body(`d${index}`, { stdout }), URL_A);
    await settle();
    expect(sent.map(({ at }) => at).slice(0, 7)).toEqual([0, 0, 0, 0, 200, 1_200, 4_200]);
  });

  it.each([404, 405])("sends single ones to a server that answers %i to a batch", async (status) => {
    const { sent, deliveries, settle } = setUp(({ url }) => ({ status: url.endsWith("/batch") ? status : 200 }));
    for (const id of ["a", "b", "c"]) deliveries.deliver(body(id), URL_A);
    await settle();
    for (const id of ["d", "e"]) deliveries.deliver(body(id), URL_A);
    await settle();
    expect(sent.filter(({ url }) => url.endsWith("/batch"))).toHaveLength(1);
    expect(sent.slice(1).flatMap(({ ids }) => ids)).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("lets each item's own status decide", async () => {
    const status = new Map([
      ["ok", 200],
      ["gone", 404],
      ["busy", 503],
    ]);
    const { sent, troubles, deliveries, settle } = setUp((one) =>
      one.url.endsWith("/batch")
        ? {
            status: 200,
            text: JSON.stringify({ results: one.ids.map((id) => ({ status: status.get(id), body: {} })) }),
          }
        : { status: 200 },
    );
    for (const id of status.keys()) deliveries.deliver(body(id), URL_A);
    await settle();
    expect(sent.map(({ ids, at }) => [ids, at])).toEqual([
      [["ok", "gone", "busy"], 0],
      [["busy"], 200],
    ]);
    expect(troubles).toEqual([expect.stringContaining("gone")]);
  });

  it.each<[string, Answer]>([
    ["a failure", { status: 500 }],
    ["nonsense", { status: 200, text: "fine" }],
    ["too few answers", { status: 200, text: '{"results":[]}' }],
    ["a refusal of the whole", { status: 422 }],
    ["a body too large", { status: 413 }],
  ])("sends each alone after %s, so that none holds up the others", async (_, answer) => {
    const { sent, deliveries, settle } = setUp((one) => {
      if (one.url.endsWith("/batch")) return answer;
      return { status: one.ids[0] === "poison" ? 422 : 200 };
    });
    for (const id of ["a", "poison", "b"]) deliveries.deliver(body(id), URL_A);
    await settle();
    expect(sent.slice(1).map(({ ids }) => ids)).toEqual([["a"], ["poison"], ["b"]]);
  });

  it("delivers as often as a scripted network does", async () => {
    const { sent, deliveries, settle } = setUp(accept);
    deliveries.deliver(body("a"), URL_A, 4);
    await settle();
    await clock.run(() => false);
    expect(sent).toHaveLength(4);
  });

  it("takes up after a restart what was not accepted", async () => {
    const first = setUp(() => AWAY);
    first.deliveries.deliver(body("a"), URL_A);
    first.deliveries.deliver(body("b"), null);
    await clock.run(() => first.sent.length > 2);
    await first.deliveries.close(0);
    const second = setUp(accept);
    second.deliveries.resume();
    await second.settle();
    expect(second.sent.map(({ ids }) => ids)).toEqual([["a"]]);
    expect(["a", "b"].map((id) => second.outbox.has(id))).toEqual([true, true]);
    const third = setUp(accept);
    third.deliveries.resume();
    expect(third.deliveries.pendingCount).toBe(1);
  });

  it("waits on close for what can be delivered, and no longer", async () => {
    const { deliveries, sent } = setUp((_, index) => (index === 0 ? AWAY : { status: 200 }));
    deliveries.deliver(body("a"), URL_A);
    let isClosed = false;
    void deliveries.close(5_000).then(() => (isClosed = true));
    await clock.run(() => isClosed);
    expect([sent.length, clock.now(), deliveries.pendingCount]).toEqual([2, 200, 0]);
  });
});

describe("waiting", () => {
  const at = (header: string): number | null =>
    retryAfterMs(reply({ status: 429, headers: { "retry-after": header } }), 0);

  it("reads what a server asks for", () => {
    expect([at("0"), at("5"), at("999999"), at("soon"), at(""), at("-1")]).toEqual([
      0,
      5_000,
      600_000,
      null,
      null,
      expect.anything(),
    ]);
    expect(at("Thu, 01 Jan 1970 00:00:09 GMT")).toBe(9_000);
  });

  it("never waits less than half or more than a minute once it is slow", () => {
    for (let failures = 4; failures < 40; failures += 1) {
      expect(backoffMs(failures, 0)).toBeGreaterThanOrEqual(2_500);
      expect(backoffMs(failures, 0.999)).toBeLessThanOrEqual(60_000);
    }
  });
});

describe("partials", () => {
  function channelWith(answer: (text: string, index: number) => Answer | PeerFailure, delayMs = 10) {
    const got: { at: number; deltas: { index: number; text?: string }[] }[] = [];
    const send = async (_url: string, request: PeerRequest): Promise<PeerReply | PeerFailure> => {
      const { deltas } = JSON.parse(String(request.body)) as { deltas: { index: number; text?: string }[] };
      got.push({ at: clock.now(), deltas });
      const answered = answer(deltas.map(({ text }) => text ?? "").join(""), got.length - 1);
      await new Promise<void>((resolve) => void clock.after(delayMs, resolve));
      return "status" in answered ? reply(answered) : answered;
    };
    const channel = new PartialChannel("http://x.test/", "d", { clock, send, token: () => "t" });
    const push = (...texts: string[]): void => channel.push(texts.map((text, index) => ({ index, text })));
    return { channel, got, push, pushed: () => got.map(({ deltas }) => deltas.map(({ text }) => text).join("|")) };
  }

  it("go one request at a time, in order, what waits is joined", async () => {
    const { channel, got, push, pushed } = channelWith(() => ({ status: 200 }));
    push("a");
    push("b", "c");
    push("d");
    channel.push([{ index: 9, media: { url: "u", mime: "m" } }]);
    let isOver = false;
    void channel.end().then(() => (isOver = true));
    await clock.run(() => isOver);
    expect(pushed()).toEqual(["a", "bcd|"]);
    expect(got.flatMap(({ deltas }) => deltas.map(({ index }) => index))).toEqual([0, 1, 2]);
    push("late");
    expect(got).toHaveLength(2);
  });

  it("are tried twice, with the same numbers, then dropped", async () => {
    const { channel, got, push, pushed } = channelWith((text) => (text === "a" ? AWAY : { status: 200 }));
    push("a");
    push("b");
    let isOver = false;
    void channel.end().then(() => (isOver = true));
    await clock.run(() => isOver);
    expect(pushed()).toEqual(["a", "a", "b"]);
    expect(got.map(({ deltas }) => deltas[0]?.index)).toEqual([0, 0, 1]);
  });

  it("end when the server wants none", async () => {
    const { push, pushed } = channelWith(() => ({ status: 404 }));
    push("a");
    await clock.run(() => false);
    push("b");
    await clock.run(() => false);
    expect(pushed()).toEqual(["a"]);
  });

  it("hold up a result no longer than five seconds", async () => {
    const { channel, push } = channelWith(() => ({ status: 200 }), 60_000);
    push("a");
    let isOver = false;
    void channel.end().then(() => (isOver = true));
    await clock.run(() => isOver);
    expect(clock.now()).toBe(5_000);
  });

  it.each([TEXT_LENGTH_MAX - 1, TEXT_LENGTH_MAX, TEXT_LENGTH_MAX + 1])(
    "of %i units are cut to size",
    async (length) => {
      const { got, push } = channelWith(() => ({ status: 200 }));
      const text = `${"x".repeat(length - 2)}😀`;
      push(text);
      await clock.run(() => false);
      const texts = got.flatMap(({ deltas }) => deltas.map((delta) => delta.text ?? ""));
      expect(texts.join("")).toBe(text);
      expect(texts).toHaveLength(length > TEXT_LENGTH_MAX ? 2 : 1);
      expect(texts.some((piece) => /\p{Surrogate}/u.test(piece))).toBe(false);
    },
  );

  it("are left out when too much waits", async () => {
    const { push, got } = channelWith(() => ({ status: 200 }));
    push("first");
    push("x".repeat(WAITING_LENGTH_MAX));
    push("last");
    await clock.run(() => false);
    expect(got.flatMap(({ deltas }) => deltas.map(({ text }) => text))).toEqual(["first", "last"]);
  });

  it.each([
    ["http://h.test:8080/api/workflow/step-complete", "http://h.test:8080/api/workflow/step-stream"],
    ["https://h.test/base/api/workflow/step-complete", "https://h.test/base/api/workflow/step-stream"],
    ["http://h.test/elsewhere?x=1", "http://h.test/api/workflow/step-stream"],
  ])("of %s go to %s", (callbackUrl, streamUrl) => {
    expect(streamUrlOf(callbackUrl)).toBe(streamUrl);
  });
});
