import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Api, createApi, ORG } from "../../test/api/fixture.ts";
import { type LocalProvider, startProvider } from "../../test/oidc/provider.ts";
import { HERE, Visitor } from "../../test/oidc/visitor.ts";

let provider: LocalProvider;
let api: Api;
let visitor: Visitor;
beforeAll(async () => {
  provider = await startProvider();
  provider.register([`${HERE}/auth/test/callback`]);
});
afterAll(() => provider.close());

beforeEach(async () => {
  provider.accounts.clear();
  provider.accounts.set("ada", {
    email: "Ada@Example.com",
    email_verified: true,
    name: "Ada Lovelace",
    sluice_role: ["operator"],
    groups: ["finance"],
  });
  api = await createApi({}, undefined, { signIn: [provider.signIn()] });
  visitor = new Visitor(api.app);
});
afterEach(() => api.close());

const sessionOf = (one = visitor) => api.request("GET", "session", { key: null, headers: { cookie: one.cookie } });

describe("signing in at a provider", () => {
  it("makes a person with the roles and groups of the claims, and opens a session", async () => {
    const back = await visitor.signIn("ada", "/auth/test/start?return=/o/default/runs");
    expect([back.status, back.headers.get("location")]).toEqual([303, "/o/default/runs"]);
    const { body } = await sessionOf();
    expect(body).toMatchObject({
      organisation: ORG,
      label: "ada@example.com",
      person: { email: "ada@example.com", groups: ["finance"] },
      organisations: [{ id: ORG, roles: ["operator"] }],
    });
    expect(body.keyId).toMatch(/^per_[0-9a-f]{24}$/);
    expect(body.permissions).toContain("workflow:execute");
    expect(body.permissions).not.toContain("keys:manage");
    provider.accounts.set("ada", { name: "Ada", sluice_role: "viewer" });
    const again = new Visitor(api.app);
    await again.signIn("ada");
    const { body: later } = await sessionOf(again);
    expect(later).toMatchObject({ keyId: body.keyId, label: "Ada (ada)", person: { email: null, groups: [] } });
    expect(later.permissions).not.toContain("workflow:execute");
    expect(api.troubles).toEqual([]);
  });

  it("gives the cookie another value each time, and ends the session before", async () => {
    await visitor.signIn("ada");
    const before = visitor.cookie;
    await visitor.signIn("ada");
    expect(visitor.cookie).not.toBe(before);
    const old = await api.request("GET", "session", { key: null, headers: { cookie: before } });
    expect([old.status, old.body.code]).toEqual([401, "unauthenticated"]);
    expect((await sessionOf()).status).toBe(200);
  });

  it("takes an email only when it is verified", async () => {
    for (const [name, account, label] of [
      ["eve", { email: "ada@example.com", email_verified: false }, "eve"],
      ["eva", { email: "ada@example.com" }, "eva"],
    ] as const) {
      provider.accounts.set(name, { ...account, sluice_role: "viewer" });
      const one = new Visitor(api.app);
      await one.signIn(name);
      expect((await sessionOf(one)).body).toMatchObject({ label, person: { email: null } });
    }
  });

  it("lets a person without a membership in, to nothing", async () => {
    provider.accounts.set("zoe", { name: "Zoe", sluice_role: "king", groups: ["finance"] });
    await visitor.signIn("zoe");
    const { body } = await sessionOf();
    expect(body).toMatchObject({ organisation: null, organisations: [], permissions: [], person: { groups: [] } });
    for (const path of ["runs", "runs?organisation=default"]) {
      const { status, body: refusal } = await api.request("GET", path, {
        key: null,
        headers: { cookie: visitor.cookie },
      });
      expect([status, refusal.code]).toEqual(path === "runs" ? [403, "no_membership"] : [404, "unknown_organisation"]);
    }
  });

  it("returns to own pages only", async () => {
    for (const [asked, location] of [
      ["/o/default/runs?status=failed", "/o/default/runs?status=failed"],
      ["//evil.example", "/"],
      ["/.//evil.example", "/"],
      ["/x/..//evil.example", "/"],
      ["/\\evil.example", "/"],
      ["https://evil.example/", "/"],
      ["/%5Cevil.example", "/%5Cevil.example"],
      ["/api/v1/keys", "/"],
      ["/auth/test/start", "/"],
      ["javascript:alert(1)", "/"],
      ["/\t/evil.example", "/"],
      ["", "/"],
    ] as const) {
      const back = await visitor.signIn("ada", `/auth/test/start?return=${encodeURIComponent(asked)}`);
      expect([asked, back.headers.get("location")]).toEqual([asked, location]);
    }
  });
});

describe("a sign-in that does not complete", () => {
  const page = async (response: Response) => [
    response.status,
    /<p role="alert">([^<]*)/.exec(await response.text())?.[1],
  ];

  it("was started in another browser, or was used before", async () => {
    const address = await visitor.addressOfReturn("ada");
    const other = await new Visitor(api.app).go(address);
    expect((await page(other))[0]).toBe(400);
    expect((await visitor.go(address)).status).toBe(303);
    const again = await visitor.go(address);
    expect(again.status).toBe(400);
    expect(await again.text()).toContain("was used before");
    const odd = await visitor.go("/auth/test/callback?code=x&state=y");
    expect(odd.status).toBe(400);
  });

  it("brings a code that was used, or another state", async () => {
    const first = new URL(await visitor.addressOfReturn("ada"));
    await visitor.go(first.href);
    const second = new URL(await visitor.addressOfReturn("ada"));
    second.searchParams.set("code", first.searchParams.get("code") ?? "");
    const replayed = await page(await visitor.go(second.href));
    expect(replayed).toEqual([400, expect.stringContaining("does not belong to this sign-in")]);
    const third = new URL(await visitor.addressOfReturn("ada"));
    third.searchParams.set("state", second.searchParams.get("state") ?? "");
    expect((await visitor.go(third.href)).status).toBe(400);
  });

  it("was refused by the provider", async () => {
    expect(await page(await visitor.signIn("declines"))).toEqual([
      403,
      "Test provider did not sign you in (access_denied).",
    ]);
  });

  it("is at a provider that is away, or is not allowed to be called", async () => {
    const away = provider.signIn({ name: "away", issuer: "http://127.0.0.1:1" });
    const other = await createApi({}, undefined, { signIn: [away] });
    const response = await new Visitor(other.app).go("/auth/away/start");
    expect(await page(response)).toEqual([503, "Test provider cannot be reached; try again later."]);
    expect(other.troubles.join()).toContain("provider_unreachable");
    await other.close();
    const none = await visitor.go("/auth/other/start");
    expect(none.status).toBe(404);
  });

  it("is of a person who is disabled", async () => {
    await visitor.signIn("ada");
    const { keyId } = (await sessionOf()).body;
    const changed = await api.request("PATCH", `persons/${keyId}`, { body: { disabled: true } });
    expect(changed.body).toMatchObject({ isDisabled: true });
    expect((await sessionOf()).body.code).toBe("person_disabled");
    const back = await visitor.signIn("ada");
    expect(back.status).toBe(403);
  });
});
