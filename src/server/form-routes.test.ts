import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, type Api, createApi } from "../../test/api/fixture.ts";

const SURVEY = `name: survey
args:
  who: { type: string, required: true, description: "Your <name>", maxLength: 20 }
  age: { type: integer, minimum: 18 }
  mood: { type: string, enum: [good, bad], default: good }
  subscribe: { type: boolean }
  extra: { type: object }
steps:
  - { id: take, command: "Take \${who}" }
`;

let api: Api;
beforeAll(async () => {
  api = await createApi({ respondMs: 5_000 });
  await api.save(SURVEY);
});
afterAll(() => api.close());

const ORIGIN = "http://localhost";
const FORM = "application/x-www-form-urlencoded";

async function page(path: string, init: RequestInit = {}): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await api.app.request(`${ORIGIN}${path}`, init);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

function send(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const sent = { method: "POST", body: new URLSearchParams(fields).toString() };
  return page(path, { ...sent, headers: { "content-type": FORM, ...headers } });
}

async function publicForm(name: string, more: Record<string, unknown> = {}): Promise<string> {
  const spec = { workflow: "survey", on: { form: { public: true } }, ...more };
  const { body } = await api.request("PUT", `triggers/${name}`, { body: spec });
  const { pathname, search } = new URL(body.formUrl, ORIGIN);
  return `${pathname}${search}`;
}

/** The cookie of a session that a key opened. */
async function signIn(key: string): Promise<string> {
  const headers = { origin: ORIGIN, "content-length": String(`key=${key}`.length) };
  const opened = await send("/session", { key }, headers);
  return (opened.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

const runOf = ({ text }: { text: string }): string => /run_\w+/.exec(text)?.[0] ?? "";

describe("a public form", () => {
  it("asks for the args of the workflow, each with a label and an input of its type", async () => {
    const { status, text, headers } = await page(await publicForm("ask"));
    expect(status).toBe(200);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    for (const name of ["who", "age", "mood", "subscribe", "extra"]) {
      expect(text).toContain(`<label for="${name}">`);
      expect(text).toMatch(new RegExp(`<(?:input|select|textarea)[^>]*\\sid="${name}"`));
    }
    expect(text).toMatch(/<input\s+type="number"[^>]*min="18"/);
    expect(text).toMatch(/<input\s+type="checkbox"/);
    expect(text).toMatch(/<option\s+selected>good/);
    expect(text).toMatch(/<textarea[^>]*maxlength="20"/);
    expect(text).toContain("Your &lt;name&gt;");
    expect(text).not.toContain("<script");
  });

  it("starts one run for one page, with values of the declared types", async () => {
    const path = await publicForm("start");
    const delivery = /name="delivery" value="([^"]+)"/.exec((await page(path)).text)?.[1] ?? "";
    const fields = {
      delivery,
      "arg.who": "Ann\r\nLee",
      "arg.age": "20",
      "arg.subscribe": "true",
      "arg.extra": '{"a":[1]}',
    };
    const sent = await send(path, fields);
    expect(sent.status).toBe(200);
    const run = await api.store.getRun("default", runOf(sent));
    expect(run).toMatchObject({ trigger: "form", startedBy: "trigger:start" });
    expect(run?.args).toEqual({ who: "Ann\nLee", age: 20, mood: "good", subscribe: true, extra: { a: [1] } });
    expect(runOf(await send(path, fields))).toBe(run?.runId);
  });

  it("shows again what does not fit, with what was given", async () => {
    const sent = await send(await publicForm("again"), { "arg.who": "<b>", "arg.age": "old", "arg.extra": "{" });
    expect(sent.status).toBe(422);
    expect(sent.text).toContain('role="alert"');
    expect(sent.text).toContain("&lt;b&gt;");
    expect(sent.text).not.toContain("<b>");
    const missing = await send(await publicForm("again"), { "arg.mood": "bad" });
    expect(missing.text).toContain("is required");
  });

  it("shows the outputs where they are to be shown, and nothing of the run where not", async () => {
    const shown = await send(await publicForm("shown", { respond: "outputs" }), { "arg.who": "Ann" });
    expect(shown.text).toMatch(/<pre>[^<]*take/);
    const silent = await send(await publicForm("silent", { respond: "none" }), { "arg.who": "Ann" });
    expect(silent.status).toBe(200);
    expect(runOf(silent)).toBe("");
  });

  it("is found only by its whole address, and closed when it is disabled", async () => {
    const path = await publicForm("hidden");
    expect((await page("/forms/hidden?org=default")).status).toBe(401);
    expect((await page(path.replace("hidden/", "hidden/x"))).status).toBe(404);
    await publicForm("hidden", { enabled: false });
    expect((await page(path)).status).toBe(409);
  });

  it("is sent so many times a minute and no more", async () => {
    const path = await publicForm("busy");
    const outcome = { state: "filtered", runId: null, code: null, reason: null } as const;
    for (let count = 0; count < 60; count += 1) {
      const key = { orgId: "default", triggerId: "trigger/busy", deliveryId: `d${count}` };
      await api.store.recordDelivery(key, outcome);
    }
    const sent = await send(path, { "arg.who": "Ann" });
    expect([sent.status, sent.headers.get("retry-after")]).toEqual([429, "60"]);
  });

  it("takes hostile bodies without harm", async () => {
    const path = await publicForm("hostile");
    for (const body of [
      "%00=%ff",
      "__proto__=1",
      "arg.who=%00",
      "a".repeat(1_100_000),
      "&&&===",
      "arg.who=a&arg.who=b",
    ]) {
      const { status } = await page(path, { method: "POST", body, headers: { "content-type": FORM } });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    }
    expect(
      (await page(path, { method: "POST", body: "{}", headers: { "content-type": "application/json" } })).status,
    ).toBe(415);
    expect(api.troubles).toEqual([]);
  });
});

describe("a form that asks for files", () => {
  const CLAIM = `name: claim
args:
  what: { type: string, required: true }
  receipt: { type: file, required: true }
  photos: { type: array, items: { type: file } }
steps:
  - { id: take, command: "Take \${receipt.name}" }
`;
  const textFile = (name: string, text: string) => new File([text], name, { type: "text/plain" });

  function form(entries: readonly (readonly [string, string | File])[]): FormData {
    const made = new FormData();
    for (const [name, value] of entries) made.append(name, value);
    return made;
  }

  it("stores them and starts a run with them, once for the same page and files", async () => {
    await api.save(CLAIM);
    const path = await publicForm("claims", { workflow: "claim" });
    const shown = (await page(path)).text;
    expect(shown).toContain('enctype="multipart/form-data"');
    expect(shown).toMatch(/<input type="file"[^>]*name="arg.receipt"[^>]*required/);
    expect(shown).toMatch(/<input type="file"[^>]*name="arg.photos"[^>]*multiple/);
    const entries = [
      ["delivery", "page-0001"],
      ["arg.what", "lunch"],
      ["arg.receipt", textFile("receipt.txt", "12 EUR")],
      ["arg.photos", textFile("one.txt", "1")],
      ["arg.photos", textFile("two.txt", "2")],
    ] as const;
    const sent = await page(path, { method: "POST", body: form(entries) });
    expect(sent.status).toBe(200);
    const run = await api.store.getRun("default", runOf(sent));
    expect(run?.args).toMatchObject({
      what: "lunch",
      receipt: { name: "receipt.txt", mime: "text/plain", size: 6 },
      photos: [{ name: "one.txt" }, { name: "two.txt" }],
    });
    const stored = await api.store.listFiles("default", { limit: 100, cursor: null });
    expect(stored.data.map(({ name }) => name)).toEqual(expect.arrayContaining(["receipt.txt", "one.txt", "two.txt"]));
    expect(runOf(await page(path, { method: "POST", body: form(entries) }))).toBe(run?.runId);
  });

  it("says what is missing, and refuses files where none are asked for and beyond the limit", async () => {
    const path = await publicForm("claims", { workflow: "claim" });
    const missing = form([
      ["arg.what", "lunch"],
      ["arg.receipt", new File([], "")],
    ]);
    expect((await page(path, { method: "POST", body: missing })).text).toMatch(/receipt.*is required/);
    const misplaced = form([["arg.what", textFile("a.txt", "a")]]);
    expect((await page(path, { method: "POST", body: misplaced })).status).toBe(422);
    const large = form([["arg.receipt", new File([new Uint8Array(9_500_000)], "large.bin")]]);
    expect((await page(path, { method: "POST", body: large })).status).toBe(413);
    const broken = {
      method: "POST",
      body: "--x\r\nno part",
      headers: { "content-type": "multipart/form-data; boundary=x" },
    };
    expect((await page(path, broken)).status).toBe(422);
    expect((await page(await publicForm("plain"), { method: "POST", body: form([["arg.who", "Ann"]]) })).status).toBe(
      415,
    );
  });

  it("stores nothing for a page beyond the rate limit", async () => {
    const path = await publicForm("crowded", { workflow: "claim" });
    const outcome = { state: "filtered", runId: null, code: null, reason: null } as const;
    for (let count = 0; count < 60; count += 1) {
      const key = { orgId: "default", triggerId: "trigger/crowded", deliveryId: `d${count}` };
      await api.store.recordDelivery(key, outcome);
    }
    const stored = async () => (await api.store.listFiles("default", { limit: 100, cursor: null })).data.length;
    const before = await stored();
    const late = form([["arg.receipt", textFile("late.txt", "not needed")]]);
    expect((await page(path, { method: "POST", body: late })).status).toBe(429);
    expect(await stored()).toBe(before);
  });
});

describe("a form behind sign-in", () => {
  it("is for people with a session, and their posts come from its own page", async () => {
    const spec = { workflow: "survey", on: { form: {} } };
    const { body } = await api.request("PUT", "triggers/inside", { body: spec });
    expect(body.formUrl).toContain("/forms/inside?org=default");
    expect((await page("/forms/inside")).status).toBe(401);
    const cookie = await signIn(ADMIN);
    const { text } = await page("/forms/inside", { headers: { cookie } });
    expect(text).toContain('<label for="who">');
    const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? "";
    expect((await send("/forms/inside", { csrf, "arg.who": "Ann" }, { cookie })).status).toBe(403);
    expect(
      (await send("/forms/inside", { csrf, "arg.who": "Ann" }, { cookie, origin: "https://evil.example" })).status,
    ).toBe(403);
    expect((await send("/forms/inside", { "arg.who": "Ann" }, { cookie, origin: ORIGIN })).status).toBe(403);
    const sent = await send("/forms/inside", { csrf, "arg.who": "Ann" }, { cookie, origin: ORIGIN });
    const run = await api.store.getRun("default", runOf(sent));
    expect(run).toMatchObject({ trigger: "form", startedBy: expect.stringMatching(/^key_/) });
    const viewer = await signIn(await api.key("viewer"));
    expect((await page("/forms/inside", { headers: { cookie: viewer } })).status).toBe(403);
    expect((await page("/forms/nothing", { headers: { cookie } })).status).toBe(404);
  });
});
