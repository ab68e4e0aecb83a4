import { describe, expect, it } from "vitest";
import type { PeerFailure, PeerReply, PeerRequest } from "../outbound/index.ts";
import { type TurnPost, TurnPosts } from "./turn-posts.ts";

interface Request {
  readonly url: string;
  readonly sent: { readonly dispatchId: string; readonly callbacks?: readonly { readonly dispatchId: string }[] };
  readonly reply: (status: number, body: unknown) => void;
  readonly fail: () => void;
}

/** Requests stay open until the test answers them. */
function opened() {
  const requests: Request[] = [];
  const send = (url: string, { body }: PeerRequest): Promise<PeerReply | PeerFailure> =>
    new Promise((resolve) => {
      const reply = (status: number, said: unknown): void =>
        resolve({ ok: true, status, headers: {}, text: JSON.stringify(said) });
      const fail = (): void => resolve({ ok: false } as PeerFailure);
      requests.push({ url, sent: JSON.parse(String(body)), reply, fail });
    });
  const posts = new TurnPosts("http://server/api/workflow", { clock: { now: () => 0 }, send, token: () => "t" });
  return { requests, posts };
}

const ABORT = new AbortController();
const post = (dispatchId: string, more: Partial<TurnPost> = {}): TurnPost => ({
  kind: "round-complete",
  dispatchId,
  body: { round: 0 },
  isAlone: false,
  signal: ABORT.signal,
  ...more,
});
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `run_${index}/a/1`);
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Four requests are under way, each with one report; the others wait. */
function crowded(count: number) {
  const { requests, posts } = opened();
  const answers = names(count).map((name) => posts.post(post(name)));
  return { requests, posts, answers };
}

const echo = ({ sent, reply }: Request): void => {
  const { callbacks } = sent;
  if (callbacks === undefined) reply(200, { of: sent.dispatchId });
  else reply(200, { results: callbacks.map(({ dispatchId }) => ({ status: 200, body: { of: dispatchId } })) });
};

describe("what turns report to a server", () => {
  it("goes alone while little is under way, and together otherwise, each with its own answer", async () => {
    const { requests, answers } = crowded(100);
    expect(requests.map(({ url }) => url)).toEqual(Array(4).fill("http://server/api/workflow/round-complete"));
    requests.slice(0, 4).forEach(echo);
    await settled();
    expect(requests.slice(4).map(({ url, sent }) => [url, sent.callbacks?.length])).toEqual([
      ["http://server/api/workflow/step-complete/batch", 64],
      ["http://server/api/workflow/step-complete/batch", 32],
    ]);
    requests.slice(4).forEach(echo);
    expect((await Promise.all(answers)).map(({ body }) => body)).toEqual(names(100).map((of) => ({ of })));
  });

  it("is sent one by one when a batch as such is refused, so that one spoils no other", async () => {
    const { requests, answers } = crowded(6);
    requests.slice(0, 4).forEach(echo);
    await settled();
    requests[4]?.reply(413, {});
    await settled();
    expect(requests.slice(5).map(({ sent }) => sent.dispatchId)).toEqual(names(6).slice(4));
    requests[5]?.reply(422, { code: "invalid_request" });
    requests[6]?.reply(200, {});
    expect((await Promise.all(answers.slice(4))).map(({ status }) => status)).toEqual([422, 200]);
  });

  it("has no answer when none came, for each of a batch", async () => {
    const { requests, answers } = crowded(6);
    requests.slice(0, 4).forEach(echo);
    await settled();
    requests[4]?.fail();
    expect((await Promise.all(answers.slice(4))).map(({ status }) => status)).toEqual([null, null]);
  });

  it("waits for no other where it may be answered late, and is left out when its dispatch has ended", async () => {
    const { requests, posts } = crowded(4);
    const ended = new AbortController();
    const late = posts.post(post("run_late/a/1", { kind: "tool-call", isAlone: true }));
    const gone = posts.post(post("run_gone/a/1", { signal: ended.signal }));
    expect(requests.map(({ url }) => url.split("/").at(-1))).toEqual([...Array(4).fill("round-complete"), "tool-call"]);
    ended.abort();
    requests.forEach(echo);
    expect((await late).body).toEqual({ of: "run_late/a/1" });
    expect((await gone).status).toBeNull();
    expect(requests).toHaveLength(5);
  });
});
