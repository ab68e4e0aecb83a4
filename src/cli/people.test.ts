import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, type Api, createApi, ORG } from "../../test/api/fixture.ts";
import { callSluice } from "../../test/cli/terminal.ts";
import { serve } from "../server/index.ts";
import { type ConfigFlags, HOST_SETTINGS, readConfig } from "./config.ts";
import { readSignIn } from "./sign-in.ts";

let api: Api;
let served: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  api = await createApi();
  served = await serve({ app: api.app, port: 0, host: "127.0.0.1" });
  for (const [name, roles] of [
    ["ann", ["admin"]],
    ["bob", ["viewer"]],
  ] as const) {
    const email = `${name}@example.com`;
    await api.store.keepPerson({ id: `per_${name}`, issuer: "https://login.test", subject: name, email, name });
    await api.store.claimMembership(ORG, `per_${name}`, { roles, groups: [] });
  }
});
afterAll(async () => {
  await served.close(0);
  await api.close();
});

const sluice = (...argv: readonly string[]) => callSluice(argv, { env: { SLUICE_URL: served.url, SLUICE_KEY: ADMIN } });

describe("sluice people", () => {
  it("lists, changes and removes members by id or email", async () => {
    const listed = await sluice("people", "list");
    expect(listed.out).toMatch(/^PERSON +NAME +ROLES +GROUPS +DEPUTY +SINCE\nper_ann +ann@example\.com +admin +– /);
    const set = await sluice(
      "people",
      "set",
      "Bob@example.com",
      "--role",
      "approver",
      "--group",
      "finance",
      "--group",
      "x",
    );
    expect([set.code, set.err]).toEqual([0, "bob@example.com: roles viewer approver, groups finance x\n"]);
    const deputy = ["--deputy", "bob@example.com", "--until", "2099-01-31", "--json"];
    const { out } = await sluice("people", "set", "per_ann", ...deputy);
    expect(JSON.parse(out)).toMatchObject({ deputy: { person: "per_bob", until: "2099-02-01T00:00:00.000Z" } });
    const cleared = await sluice("people", "set", "per_ann", "--clear", "deputy", "--json");
    expect(JSON.parse(cleared.out)).toMatchObject({ deputy: null, roles: [{ name: "admin" }] });
    expect((await sluice("people", "remove", "bob@example.com")).err).toBe("bob@example.com is no member any more\n");
    const last = await sluice("people", "remove", "ann@example.com");
    expect(last.code).not.toBe(0);
    expect(last.err).toContain("the only admin");
  });

  it.each([
    [["people", "set", "per_ann"], "name what to set"],
    [["people", "set", "per_ann", "--deputy", "per_bob"], "--deputy and --until belong together"],
    [["people", "set", "zoe@example.com", "--role", "viewer"], "no member with the verified email zoe@example.com"],
    [["people", "set", "per_ann", "--role", "king"], "Allowed choices are viewer, author"],
    [["people", "invite", "ann@example.com"], "required option '--role <role>' not specified"],
  ])("refuses %j", async (argv, reason) => {
    const { code, err } = await sluice(...argv);
    expect(code).toBe(2);
    expect(err).toContain(reason);
  });

  it("invites, and prints the link once", async () => {
    const { code, out, err } = await sluice("people", "invite", "Zoe@example.com", "--role", "author");
    expect([code, err]).toEqual([0, expect.stringContaining("send this link to zoe@example.com")]);
    expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/invite\?token=[\w-]{43}\n$/);
    const listed = await sluice("people", "list", "--invited");
    expect(listed.out).toMatch(/inv_\w+ +zoe@example\.com +author +– +open +in /);
  });
});

describe("sluice sessions and organisations", () => {
  it("lists and ends sessions", async () => {
    expect((await sluice("sessions", "list")).err).toBe("no browser is signed in\n");
    const owner = { personId: "per_ann", keyId: null, orgId: null };
    const shown = { userAgent: "a browser", ip: "192.0.2.1" };
    await api.store.putSession({ id: "ses_1", hash: "h", ...owner, ...shown }, 60_000);
    const listed = await sluice("sessions", "list", "--all");
    expect(listed.out).toMatch(/ses_1 +ann@example\.com +.* ago +.* ago +192\.0\.2\.1 +a browser/);
    expect((await sluice("sessions", "revoke", "ses_1")).err).toBe("ses_1 has ended\n");
    expect((await sluice("sessions", "revoke", "ses_1")).code).not.toBe(0);
  });

  it("makes an organisation with an admin key", async () => {
    const made = await sluice("organisations", "create", "acme", "--name", "Acme Inc.");
    expect(made.out).toMatch(/^slk_[\w-]{43}\n$/);
    const env = { SLUICE_URL: served.url, SLUICE_KEY: made.out.trim() };
    const listed = await callSluice(["organisations", "list"], { env });
    expect(listed.out).toMatch(/^ORGANISATION +NAME +ROLES +GROUPS\nacme +Acme Inc\. /);
  });
});

describe("the providers to sign in at", () => {
  const read = (signIn: string | undefined, env: Record<string, string> = {}) => {
    const err = { isTty: false, size: () => ({ columns: 80, rows: 24 }), write: () => undefined };
    const io = { env, err, cwd: "/there" };
    const flags: ConfigFlags = signIn === undefined ? {} : { signIn };
    return readSignIn(io, readConfig(io, flags, HOST_SETTINGS));
  };
  const provider = { name: "company", issuer: "https://login.example.com", clientId: "sluice" };

  it("come as JSON or from a file, with defaults", () => {
    expect(read(undefined)).toEqual([]);
    const text = JSON.stringify([{ ...provider, clientSecretVariable: "SECRET", scopes: ["email"] }]);
    expect(read(undefined, { SLUICE_SIGN_IN_PROVIDERS: text, SECRET: "hush" })).toEqual([
      {
        ...provider,
        label: "company",
        clientSecret: "hush",
        scopes: ["openid", "email"],
        roleClaim: "sluice_role",
        groupsClaim: "groups",
        organisation: { name: "default" },
        trustsEmail: false,
      },
    ]);
  });

  it.each([
    ["{", "cannot read {"],
    ["[", "must be a JSON list"],
    ["nothing.json", "cannot read nothing.json"],
    [JSON.stringify([{ ...provider, name: "A b" }]), "provider 1 name must be 1 to 32 small letters"],
    [JSON.stringify([{ ...provider, issuer: "http://login.example.com" }]), "provider 1 issuer must be an https URL"],
    [JSON.stringify([{ ...provider, secret: "x" }]), "provider 1"],
    [JSON.stringify([provider, provider]), 'names two providers "company"'],
    [JSON.stringify([{ ...provider, clientSecretVariable: "NONE" }]), "the variable NONE is not set"],
    [JSON.stringify([{ ...provider, organisation: "a", organisationClaim: "b" }]), "choose one"],
  ])("refuse %s", (text, reason) => {
    expect(() => read(text)).toThrow(reason);
  });
});
