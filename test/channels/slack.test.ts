import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FakeService, openService, type Reply } from "./fake-service.ts";
import { type Ground, openGround } from "./ground.ts";

const ASK = `name: ask
steps:
  - { id: decide, name: "Send it? <!channel>", approval: required, approvers: ["user:ann@example.com"] }
`;
const SIGNING = "8f742231b10e8888abcd99yyyzzz85a5";
const CHANNEL = {
  type: "slack",
  channel: "C042",
  token: "bot-token-of-the-test",
  signing_secret: SIGNING,
  notify: [{ on: "approval.requested" }],
};
const OVERRIDE = { decision: "approve", override: true, reason: "It is fine." };
const EMAILS: Readonly<Record<string, string>> = { UANN: "Ann@example.com", UEVE: "eve@example.com" };

interface Block {
  readonly type: string;
  readonly elements?: readonly { action_id?: string; value?: string; url?: string; confirm?: object }[];
}
type Call = { readonly method: string; readonly args: { blocks?: readonly Block[]; [key: string]: unknown } };

let ground: Ground;
let slack: FakeService;
let posted = 0;
let broken: Reply | null;
/** How many messages are taken before the answer to one is lost. */
let takenBeforeLoss: number;
let mayRead: boolean;
let pagesOfOthers: number;
beforeEach(async () => {
  broken = null;
  takenBeforeLoss = Infinity;
  mayRead = true;
  pagesOfOthers = 0;
  posted = 0;
  slack = await openService(({ path, headers, text }) => {
    if (headers.authorization !== "Bearer bot-token-of-the-test") return { body: { ok: false, error: "invalid_auth" } };
    if (broken !== null) return broken;
    if (path === "/api/users.info") {
      const email = EMAILS[new URLSearchParams(text).get("user") ?? ""];
      if (email === undefined) return { body: { ok: false, error: "user_not_found" } };
      return { body: { ok: true, user: { deleted: false, profile: { email } } } };
    }
    if (path.startsWith("/api/conversations.")) {
      const asked = new URLSearchParams(text);
      return { body: mayRead ? pageOf(asked) : { ok: false, error: "missing_scope" } };
    }
    posted += 1;
    if (takenBeforeLoss === 0) {
      takenBeforeLoss = Infinity;
      return { status: 500 };
    }
    takenBeforeLoss -= 1;
    return { body: { ok: true, channel: "C042", ts: `1700000000.${String(posted).padStart(6, "0")}` } };
  });
  ground = await openGround({ slackUrl: `${slack.url}/api` });
  await ground.put("chat", CHANNEL);
  await ground.api.save(ASK);
});
afterEach(async () => {
  await ground.close();
  await slack.close();
  expect(ground.troubles).toEqual([]);
});

function calls(method: string): readonly Call["args"][] {
  return slack.received
    .filter(({ path }) => path === `/api/${method}`)
    .map(({ text }) => JSON.parse(text) as Call["args"]);
}

/** What a conversation holds, or with `ts` one of its threads, newest first; times are those of the messages posted. */
function kept(asked: URLSearchParams): readonly object[] {
  expect(asked.get("include_all_metadata")).toBe("true");
  const thread = asked.get("ts");
  return calls("chat.postMessage")
    .map((args, index) => ({ ...args, of: args["thread_ts"], ts: `1700000000.${String(index + 1).padStart(6, "0")}` }))
    .filter(({ ts, of }) => (thread === null ? of === undefined : of === thread || ts === thread))
    .reverse();
}

/** A page of a conversation. The newer messages of others come first. */
function pageOf(asked: URLSearchParams): object {
  const page = Number(asked.get("cursor") ?? 0);
  const isLast = page === pagesOfOthers;
  return {
    ok: true,
    messages: isLast ? kept(asked) : [],
    response_metadata: { next_cursor: isLast ? "" : `${page + 1}` },
  };
}

function buttonsOf({ blocks = [] }: Call["args"]): NonNullable<Block["elements"]> {
  return blocks.flatMap(({ type, elements = [] }) => (type === "actions" ? elements : []));
}

async function ask(source = ASK): Promise<void> {
  await ground.api.save(source);
  await ground.api.run(/^name: (\S+)/.exec(source)?.[1] ?? "");
  await ground.round();
}

function press(user: string, value: string, more: object = {}): string {
  const decision = (JSON.parse(value) as { decision: string }).decision;
  const payload = {
    type: "block_actions",
    user: { id: user },
    trigger_id: "T1",
    channel: { id: "C042" },
    actions: [{ action_id: `sluice-answer-${decision}`, value }],
    ...more,
  };
  return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
}

function send(body: string, parts: { secret?: string; at?: number; query?: string } = {}): Promise<Response> {
  const timestamp = String(Math.floor((parts.at ?? Date.now()) / 1_000));
  const hmac = createHmac("sha256", parts.secret ?? SIGNING).update(`v0:${timestamp}:${body}`);
  return fetch(`${ground.url}/api/v1/channels/slack/chat/actions${parts.query ?? ""}`, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": `v0=${hmac.digest("hex")}`,
    },
    body,
  });
}

async function statuses(): Promise<readonly string[]> {
  const { body } = await ground.api.request("GET", "approvals");
  return (body.data as readonly { status: string }[]).map(({ status }) => status);
}

describe("a channel of type slack", () => {
  it("posts a message with buttons, details in a thread, and changes it when it is answered", async () => {
    await ask();
    const [message, details] = calls("chat.postMessage");
    expect(message).toMatchObject({ channel: "C042", text: expect.stringContaining("Send it?") });
    // Nothing of an author is read as markup, such as a mention of everybody.
    expect(JSON.stringify(message?.blocks)).not.toContain("mrkdwn");
    expect(message?.["text"]).not.toContain("<");
    expect(details).toMatchObject({ thread_ts: "1700000000.000001" });
    const [approve, reject, open] = buttonsOf(message ?? {});
    expect([approve?.confirm !== undefined, open?.url]).toEqual([true, expect.stringContaining("/approvals?id=")]);
    expect(JSON.parse(reject?.value ?? "")).toMatchObject({
      decision: "reject",
      subjectDigest: expect.stringMatching(/^sha256:/),
    });
    const reply = await send(press("UANN", approve?.value ?? ""));
    expect([reply.status, await reply.json()]).toEqual([200, { ok: true }]);
    expect(await statuses()).toEqual(["approved"]);
    await ground.round();
    const [change] = calls("chat.update");
    expect(change).toMatchObject({ channel: "C042", ts: "1700000000.000001" });
    expect(buttonsOf(change ?? {})).toEqual([]);
    expect(JSON.stringify(change?.blocks)).toContain("Approved by ann@example.com");
  });

  it("asks for the reason of a rejection in a form", async () => {
    await ask();
    const value = buttonsOf(calls("chat.postMessage")[0] ?? {})[1]?.value ?? "";
    await send(press("UANN", value));
    expect(await statuses()).toEqual(["pending"]);
    const [{ view } = { view: {} }] = calls("views.open") as readonly { view?: { private_metadata?: string } }[];
    const submit = (reason: string | null): string => {
      const values = { reason: { reason: { type: "plain_text_input", value: reason } } };
      const sent = { ...view, state: { values } };
      return new URLSearchParams({
        payload: JSON.stringify({ type: "view_submission", user: { id: "UANN" }, view: sent }),
      }).toString();
    };
    const empty = await send(submit(null));
    expect(await empty.json()).toMatchObject({
      response_action: "errors",
      errors: { reason: expect.stringMatching(/reason/) },
    });
    expect(await (await send(submit("not now"))).json()).toEqual({ response_action: "clear" });
    const { body } = await ground.api.request("GET", "approvals");
    expect(body.data).toMatchObject([{ status: "rejected", reason: "not now", resolvedBy: "ann@example.com" }]);
  });

  it("believes only what Slack has signed, just now, and once", async () => {
    await ask();
    const value = buttonsOf(calls("chat.postMessage")[0] ?? {})[0]?.value ?? "";
    const body = press("UEVE", value);
    expect((await send(body, { secret: "another" })).status).toBe(401);
    expect((await send(body, { at: Date.now() - 301_000 })).status).toBe(401);
    expect((await send(body, { query: "?org=other" })).status).toBe(401);
    const at = Date.now();
    expect((await send(body, { at })).status).toBe(200);
    expect((await send(body, { at })).status).toBe(409);
    expect((await send("payload=%7B%7D")).status).toBe(422);
    expect(await statuses()).toEqual(["pending"]);
  });

  it("refuses accounts that belong to no person who is asked, and audits that", async () => {
    await ask();
    const value = buttonsOf(calls("chat.postMessage")[0] ?? {})[0]?.value ?? "";
    for (const user of ["UEVE", "UNOBODY"]) {
      expect(await (await send(press(user, value))).json()).toMatchObject({ ok: false, code: "unknown_account" });
    }
    expect(calls("chat.postEphemeral").map(({ user }) => user)).toEqual(["UEVE", "UNOBODY"]);
    expect(await statuses()).toEqual(["pending"]);
    await ground.round();
    const { body } = await ground.api.request("GET", "audit?type=auth.failed");
    expect(body.data).toMatchObject([
      { actor: "slack:UNOBODY", resource: "channel/chat" },
      { actor: "slack:UEVE", detail: { code: "unknown_account", email: "eve@example.com" } },
    ]);
  });

  it("refuses an answer to what was shown otherwise, or to another approval of another subject", async () => {
    await ask();
    const value = JSON.parse(buttonsOf(calls("chat.postMessage")[0] ?? {})[0]?.value ?? "{}") as object;
    const changed = JSON.stringify({ ...value, subjectDigest: "sha256:else" });
    expect(await (await send(press("UANN", changed))).json()).toMatchObject({ code: "content_changed" });
    const other = JSON.stringify({ ...value, approvalId: "apr_else" });
    expect(await (await send(press("UANN", other))).json()).toMatchObject({ code: "unknown_approval" });
    expect(await statuses()).toEqual(["pending"]);
  });

  it("has only a link where a button is not enough", async () => {
    await ask(`name: pay
steps:
  - { id: pay, command: "Pay it", action: financial, approval: required, approvers: ["user:ann@example.com"] }
`);
    expect(buttonsOf(calls("chat.postMessage")[0] ?? {})).toEqual([
      expect.objectContaining({ url: expect.stringMatching(/approvals/) }),
    ]);
    const { body } = await ground.api.request("GET", "approvals");
    const { id: approvalId, subjectDigest } = body.data[0];
    const forged = JSON.stringify({ approvalId, subjectDigest, decision: "approve" });
    expect(await (await send(press("UANN", forged))).json()).toMatchObject({ ok: false, code: "forbidden" });
    expect(await statuses()).toEqual(["pending"]);
  });

  it("puts several approvals into one message, each with its buttons in the thread", async () => {
    await ground.put("chat", { ...CHANNEL, group: { within: 60 } });
    for (let runs = 0; runs < 3; runs += 1) await ground.api.run("ask");
    await ground.round();
    expect(calls("chat.postMessage")).toEqual([]);
    ground.ahead = 61_000;
    await ground.round();
    const messages = calls("chat.postMessage");
    expect(messages.filter(({ thread_ts: thread }) => thread === undefined)).toHaveLength(1);
    expect(messages.filter((message) => buttonsOf(message).length > 0)).toHaveLength(3);
  });

  it("is not posted a second time when the answer to it was lost, nor what is in its thread", async () => {
    takenBeforeLoss = 0;
    await ask();
    expect(await ground.deliveries("chat")).toMatchObject([{ state: "failed" }]);
    expect(calls("chat.postMessage")).toHaveLength(1);
    ground.ahead = 60_000;
    await ground.round();
    expect(await ground.deliveries("chat")).toMatchObject([{ state: "delivered" }]);
    expect(calls("chat.postMessage").map(({ thread_ts: thread }) => thread)).toEqual([undefined, "1700000000.000001"]);
    const [{ id } = { id: "" }] = await ground.deliveries("chat");
    await ground.api.request("POST", `channels/chat/deliveries/${id}/redeliver`);
    await ground.round();
    expect(calls("chat.postMessage")).toHaveLength(2);
    // The message that was found is the one that changes with the answer.
    await send(press("UANN", buttonsOf(calls("chat.postMessage")[0] ?? {})[0]?.value ?? ""));
    await ground.round();
    expect(calls("chat.update").map(({ ts }) => ts)).toContain("1700000000.000001");
  });

  it.each([
    ["one of its approvals was answered", true, false],
    ["another approval has come in", false, true],
    ["both has happened", true, true],
  ])("is not posted a second time when %s since its answer was lost", async (_, isAnswered, isJoined) => {
    await ground.put("chat", { ...CHANNEL, group: { within: 60 } });
    for (let runs = 0; runs < 2; runs += 1) await ground.api.run("ask");
    await ground.round();
    [ground.ahead, takenBeforeLoss] = [61_000, 0];
    await ground.round();
    expect(calls("chat.postMessage")).toHaveLength(1);
    const { data } = (await ground.api.request("GET", "approvals")).body;
    const [{ id } = { id: "" }] = data as readonly { id: string }[];
    if (isAnswered) await ground.api.request("POST", `approvals/${id}/resolve`, { body: OVERRIDE });
    if (isJoined) await ground.api.run("ask");
    await ground.round();
    ground.ahead = 150_000;
    await ground.round();
    const messages = calls("chat.postMessage");
    const alone = isJoined ? ["Approval needed: Send it? &lt;!channel&gt;"] : [];
    const roots = messages.filter(({ thread_ts: thread }) => thread === undefined);
    expect(roots.map(({ text }) => text)).toEqual(["2 approvals needed", ...alone]);
    const open = 2 - (isAnswered ? 1 : 0) + (isJoined ? 1 : 0);
    expect(messages.filter((message) => buttonsOf(message).length > 0)).toHaveLength(open);
    expect(
      (await ground.deliveries("chat")).filter(({ state }) => state === "delivered").length,
    ).toBeGreaterThanOrEqual(open);
  });

  it.each([
    ["is found three pages further", 3, true, 1],
    ["is posted again after more pages than are searched: better twice than never", 1_000, true, 2],
    ["is posted again where the bot may not read the conversation", 0, false, 2],
  ])("of which the answer was lost %s", async (_, pages, isReadable, times) => {
    [takenBeforeLoss, pagesOfOthers, mayRead] = [0, pages, isReadable];
    await ask();
    ground.ahead = 60_000;
    await ground.round();
    expect(await ground.deliveries("chat")).toMatchObject([{ state: "delivered" }]);
    expect(calls("chat.postMessage").filter(({ thread_ts: thread }) => thread === undefined)).toHaveLength(times);
    expect(slack.received.filter(({ path }) => path === "/api/conversations.history").length).toBeLessThan(50);
  });

  it("waits as long as Slack asks for, and says what Slack answered", async () => {
    broken = { status: 429, headers: { "retry-after": "90" } };
    const before = Date.now();
    await ask();
    const [limited] = await ground.deliveries("chat");
    expect(limited).toMatchObject({ state: "failed", lastError: "Slack takes no more messages for now." });
    expect(Date.parse(limited?.nextAttemptAt ?? "") - before).toBeGreaterThanOrEqual(90_000);
    broken = { body: { ok: false, error: "channel_not_found" } };
    ground.ahead = 91_000;
    await ground.round();
    expect(await ground.deliveries("chat")).toMatchObject([{ lastError: "Slack answered channel_not_found." }]);
  });
});
