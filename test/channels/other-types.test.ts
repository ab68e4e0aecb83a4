import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FakeService, openService } from "./fake-service.ts";
import { type Ground, openGround } from "./ground.ts";
import { sendForm } from "./browser-form.ts";

const ASK = `name: ask
steps:
  - { id: decide, name: "Send [it](https://evil.example)?", approval: required }
`;
const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;

let ground: Ground;
let service: FakeService;
let status: number;
beforeEach(async () => {
  status = 200;
  [ground, service] = await Promise.all([openGround(), openService(() => ({ status }))]);
  await ground.api.save(ASK);
});
afterEach(async () => {
  await ground.close();
  await service.close();
  expect(ground.troubles).toEqual([]);
});

interface Card {
  readonly type: string;
  readonly body: readonly { readonly type: string; readonly text: string }[];
  readonly actions: readonly { readonly type: string; readonly url: string }[];
}

describe("a channel of type teams", () => {
  it("posts a card whose link shows the approval and asks for sign-in", async () => {
    await ground.put("team", { type: "teams", url: `${service.url}/in`, notify: [{ on: "approval.requested" }] });
    await ground.api.run("ask");
    await ground.round();
    const sent = JSON.parse(service.received[0]?.text ?? "{}") as {
      type: string;
      attachments: readonly { contentType: string; content: Card }[];
    };
    expect(sent).toMatchObject({
      type: "message",
      attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content: { type: "AdaptiveCard" } }],
    });
    const card = sent.attachments[0]?.content;
    const link = card?.actions[0]?.url ?? "";
    expect(card?.actions).toMatchObject([{ type: "Action.OpenUrl" }]);
    // Many people see a card, so that its ticket is no one's in particular.
    const page = await fetch(link);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Sign in to answer")]);
    expect((await sendForm(link, { decision: "approve" })).status).toBe(303);
    const { body } = await ground.api.request("GET", "approvals");
    expect(body.data).toMatchObject([{ status: "pending" }]);
  });

  it("is disabled when it is gone for good", async () => {
    await ground.put("team", { type: "teams", url: service.url, notify: [{ on: "approval.requested" }] });
    status = 410;
    await ground.api.run("ask");
    await ground.round();
    expect((await ground.api.request("GET", "channels/team")).body.enabled).toBe(false);
    expect((await ground.api.request("POST", "channels/team/test")).body.code).toBe("channel_disabled");
  });
});

describe("a channel of type teams with a group", () => {
  it("says how many approvals a card has no room for", async () => {
    const group = { within: "1m" };
    await ground.put("team", { type: "teams", url: service.url, group, notify: [{ on: "approval.requested" }] });
    for (let runs = 0; runs < 13; runs += 1) await ground.api.run("ask");
    await ground.round();
    ground.ahead = 61_000;
    await ground.round();
    expect(service.received).toHaveLength(1);
    expect(service.received[0]?.text).toContain("13 approvals needed");
    expect(service.received[0]?.text).toContain("3 more are in the inbox of the console.");
  });
});

describe("a channel of type webhook", () => {
  it("gives a group another id when another message has come in since, so that no receiver drops it", async () => {
    const spec = { type: "webhook", url: service.url, secret: SECRET, notify: [{ on: "approval.requested" }] };
    await ground.put("hook", { ...spec, group: { within: "1m" } });
    for (let runs = 0; runs < 2; runs += 1) await ground.api.run("ask");
    await ground.round();
    [ground.ahead, status] = [61_000, 500];
    await ground.round();
    ground.ahead = 67_000;
    await ground.round();
    await ground.api.run("ask");
    await ground.round();
    [ground.ahead, status] = [900_000, 200];
    await ground.round();
    const items = service.received.map(({ text }) => (JSON.parse(text) as { data: { items: [] } }).data.items.length);
    expect(items).toEqual([2, 2, 3]);
    const ids = service.received.map(({ headers }) => headers["webhook-id"]);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  it("sends signed messages, which a library verifies, with the content where it may", async () => {
    const spec = { type: "webhook", url: service.url, secret: SECRET, notify: [{ on: "approval.requested" }] };
    await ground.put("hook", spec);
    await ground.api.run("ask");
    await ground.round();
    const [first] = service.received;
    const read = new Webhook(SECRET).verify(first?.text ?? "", first?.headers as Record<string, string>);
    expect(read).toMatchObject({
      type: "approval.requested",
      data: { workflow: "ask", link: expect.stringMatching(/approvals\?id=/) },
    });
    expect(first?.text).not.toContain("subject");
    await ground.put("hook", { ...spec, content: true });
    await ground.api.run("ask");
    await ground.round();
    expect(JSON.parse(service.received[1]?.text ?? "{}")).toMatchObject({ data: { subject: { workflow: "ask" } } });
  });
});

describe("a channel of type console", () => {
  it("is delivered by being in the inbox", async () => {
    await ground.put("screen", { type: "console", notify: [{ on: "approval.requested" }] });
    await ground.api.run("ask");
    await ground.round();
    expect(await ground.deliveries("screen")).toMatchObject([{ state: "delivered", type: "approval.requested" }]);
  });
});

describe("a channel that cannot be saved", () => {
  it.each([
    [{ type: "email", host: "smtp.example.com" }, 422, "missing_field", "from"],
    [{ type: "email", host: "169.254.169.254", from: "a@example.com" }, 422, "outbound_refused", "host"],
    [{ type: "email", host: "10.0.0.1", port: 25, from: "a@example.com" }, 422, "outbound_refused", "host"],
    [{ type: "teams", url: "http://192.168.0.1/hook" }, 422, "outbound_refused", "url"],
    [{ type: "webhook", url: "https://user:pass@example.com/" }, 422, "outbound_refused", "url"],
    [{ type: "slack", channel: "C1", url: "https://example.com" }, 422, "unknown_key", "url"],
    [{ type: "pigeon" }, 422, "bad_enum", "type"],
    [{ type: "console", notify: [{ on: "run.completed" }] }, 422, "bad_enum", "notify[0].on"],
    [{ type: "console", notify: [{ on: "alert", where: "nothing == 1" }] }, 422, "unknown_fact", "notify[0].where"],
    [{ type: "console", quiet_hours: { from: "25:00", to: "07:00" } }, 422, "wrong_type", "quiet_hours.from"],
    [
      { type: "console", quiet_hours: { from: "22:00", to: "07:00", zone: "Mars" } },
      422,
      "bad_name",
      "quiet_hours.zone",
    ],
    [{ type: "console", notify: [{ on: "alert", channel: "nowhere" }] }, 422, "unknown_channel", "notify[0].channel"],
    [{ type: "console", rate: { per_minute: 0 } }, 422, "bad_number", "rate.per_minute"],
    [{ type: "console", group: { within: "soon" } }, 422, "bad_duration", "group.within"],
    [{ type: "email", host: "smtp.example.com", from: "no-address", to: ["someone"] }, 422, "bad_name", "from"],
  ])("%j", async (spec, expected, code, path) => {
    const reply = await ground.api.request("PUT", "channels/bad", { body: spec });
    expect(reply.status).toBe(expected);
    const problems = reply.body.problems as readonly { code: string; path: string }[];
    expect(problems).toEqual(expect.arrayContaining([expect.objectContaining({ code, path })]));
  });

  it("but not for naming itself, or one that is applied with it", async () => {
    const rule = (channel: string) => ({ type: "console", notify: [{ on: "alert", channel }] });
    await ground.put("own", rule("own"));
    const manifest = (name: string, spec: object) => ({ kind: "Channel", name, spec });
    const both = [manifest("one", rule("two")), manifest("two", rule("one"))];
    expect((await ground.api.request("POST", "apply", { body: both })).status).toBe(200);
    const { status, body } = await ground.api.request("POST", "apply", { body: [manifest("three", rule("four"))] });
    expect([status, body.problems[0]]).toMatchObject([
      422,
      { code: "unknown_channel", path: "[0].spec.notify[0].channel" },
    ]);
  });

  it("for what looks like a secret where it would be shown; and what is secret is never shown", async () => {
    const where = `alert == 'ghp_${"0aB9".repeat(9)}'`;
    const literal = { type: "console", notify: [{ on: "alert", where }] };
    expect((await ground.api.request("PUT", "channels/bad", { body: literal })).body.problems[0].code).toBe(
      "secret_literal",
    );
    await ground.put("chat", {
      type: "slack",
      channel: "C1",
      token: "very-secret-token",
      signing_secret: "and-another",
    });
    const { body } = await ground.api.request("GET", "channels/chat");
    expect(JSON.stringify(body)).not.toMatch(/very-secret|and-another/);
    await ground.put("chat", { type: "slack", channel: "C2" });
    expect(Object.keys(await ground.api.store.entrySecrets("default", "channel", "chat"))).toEqual([
      "token",
      "signing_secret",
    ]);
  });

  it("and a workflow that names one that is not there", async () => {
    const source = `${ASK}notify:\n  - { on: run.failed, channel: nowhere }\n`;
    const { status: refused, body } = await ground.api.request("PUT", "workflows/ask", { body: { source } });
    expect([refused, body.problems[0].code]).toEqual([422, "unknown_channel"]);
    await ground.put("nowhere", { type: "console" });
    expect((await ground.api.request("PUT", "workflows/ask", { body: { source } })).status).toBe(201);
    const stream = [
      {
        kind: "Workflow",
        name: "both",
        spec: { source: source.replace("name: ask", "name: both").replace("nowhere", "fresh") },
      },
      { kind: "Channel", name: "fresh", spec: { type: "console" } },
    ];
    expect((await ground.api.request("POST", "apply", { body: stream })).status).toBe(200);
  });
});
