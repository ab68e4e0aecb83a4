import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { secretsOver } from "../../test/secrets/secrets-over.ts";
import { openVault, type TestVault } from "../../test/secrets/vault.ts";
import type { JsonObject } from "../core/base/index.ts";
import { createAllowList, OutboundGuard, PeerAgent } from "../outbound/index.ts";
import type { SecretUse } from "../registry/index.ts";
import { createSecretBox, sealSecrets, secretPlace } from "../seal/index.ts";
import { createMemoryStore, type Store } from "../store/index.ts";
import { reseal } from "./reseal.ts";
import type { Secrets } from "./secrets.ts";

const ORG = "org_1";
const KEY = "the key of the server";
const box = createSecretBox(KEY);
const EU: SecretUse = { by: "dispatch", gateway: "eu", agent: "analyst", workflow: "refund", tool: "billing" };

const agents: PeerAgent[] = [];
const directory = mkdtempSync(join(tmpdir(), "sluice-secrets-"));
let vault: TestVault;
beforeAll(async () => {
  vault = await openVault();
});
afterEach(() => {
  for (const agent of agents.splice(0)) agent.close();
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await vault.close();
});

const stored = async (store: Store, name: string, body: JsonObject, value?: string, orgId = ORG): Promise<void> => {
  const secrets = value === undefined ? {} : sealSecrets(box, secretPlace(orgId, "secret", name), { value });
  await store.applyEntries(orgId, [{ change: "put", kind: "secret", id: name, body, secrets }], 1);
};
const codeOf = async (secrets: Secrets, name: string, use: SecretUse = EU): Promise<string> => {
  const found = await secrets.use(ORG, name, use);
  return found.ok ? `value ${found.value}` : found.failure.code;
};
const auditOf = async (store: Store): Promise<readonly string[]> => {
  const written: string[] = [];
  await store.seal(ORG, 100, (head, pending) => {
    for (const { entries } of pending) written.push(...entries.map((entry) => JSON.stringify(entry)));
    return { head, records: [], segments: [] };
  });
  return written;
};

describe("a sealed secret", () => {
  it("is given inside its scopes, and to no other organisation", async () => {
    const store = createMemoryStore();
    await stored(store, "token", { scopes: ["gateway:eu"], version: 2 }, "the-value");
    const secrets = secretsOver(store, box);
    expect(await codeOf(secrets, "token")).toBe("value the-value");
    expect(await codeOf(secrets, "token", { ...EU, gateway: "us" })).toBe("secret_out_of_scope");
    expect(await codeOf(secrets, "token", { by: "channel", name: "eu" })).toBe("secret_out_of_scope");
    expect(await codeOf(secrets, "other")).toBe("unknown_secret");
    expect(await secrets.use("org_2", "token", EU)).toMatchObject({ ok: false, failure: { code: "unknown_secret" } });
  });

  it("is noted by name and never by value, whether it is given or not", async () => {
    const store = createMemoryStore();
    await stored(store, "token", { scopes: ["gateway:eu"], version: 2 }, "the-value");
    const secrets = secretsOver(store, box, { now: () => 77 });
    await secrets.use(ORG, "token", EU, { actor: "analyst", run: "run_1", node: "pay" });
    await secrets.use(ORG, "token", { ...EU, gateway: "us" });
    expect(await store.secretUses(ORG)).toEqual(new Map([["token", 77]]));
    const audit = await auditOf(store);
    expect(audit.map((line) => JSON.parse(line))).toMatchObject([
      {
        type: "secret.used",
        actor: "analyst",
        resource: "secret/token",
        run: "run_1",
        node: "pay",
        detail: { version: 2, for: "gateway:eu agent:analyst workflow:refund tool:billing" },
      },
      { type: "secret.refused", actor: "sluice", detail: { code: "secret_out_of_scope" } },
    ]);
    expect(audit.join("")).not.toContain("the-value");
  });

  it("is not given when that cannot be noted", async () => {
    const store = createMemoryStore();
    await stored(store, "token", { scopes: ["gateway:eu"] }, "the-value");
    const failing = { ...store, recordSecretUses: () => Promise.reject(new Error("no disk")) };
    await expect(secretsOver(failing, box).use(ORG, "token", EU)).rejects.toThrow("no disk");
  });

  it("cannot be opened with another key, or without one, and the reason is precise", async () => {
    const store = createMemoryStore();
    await stored(store, "token", { scopes: ["gateway:eu"] }, "the-value");
    const other = createSecretBox("another key");
    expect(await codeOf(secretsOver(store, other), "token")).toBe("secret_unreadable");
    expect(await codeOf(secretsOver(store, other, { isKeyed: false }), "token")).toBe("secret_key_missing");
    expect(await codeOf(secretsOver(store, createSecretBox("new", [KEY])), "token")).toBe("value the-value");
  });

  it("opens only in its own place", async () => {
    const store = createMemoryStore();
    const sealed = sealSecrets(box, secretPlace(ORG, "secret", "rich"), { value: "the-value" });
    const put = {
      change: "put",
      kind: "secret",
      id: "poor",
      body: { scopes: ["gateway:eu"] },
      secrets: sealed,
    } as const;
    await store.applyEntries(ORG, [put], 1);
    expect(await codeOf(secretsOver(store, box), "poor")).toBe("secret_unreadable");
  });
});

describe("a new key", () => {
  it("seals again what the one before it sealed, and leaves alone what no key opens", async () => {
    const store = createMemoryStore();
    await stored(store, "a", { scopes: ["gateway:eu"] }, "value-of-a");
    const strange = sealSecrets(createSecretBox("strange"), secretPlace(ORG, "channel", "c"), { token: "t-value" });
    await store.applyEntries(ORG, [{ change: "put", kind: "channel", id: "c", body: {}, secrets: strange }], 1);
    const before = await store.entrySecrets(ORG, "secret", "a");
    const options = { store, key: "the new key", formerKeys: [KEY] };
    expect(await reseal(options)).toEqual({ resealed: 1, unreadable: 1 });
    expect(await store.entrySecrets(ORG, "secret", "a")).not.toEqual(before);
    expect(await codeOf(secretsOver(store, createSecretBox("the new key")), "a")).toBe("value value-of-a");
    expect(await store.entrySecrets(ORG, "channel", "c")).toEqual(strange);
    expect(await reseal(options)).toEqual({ resealed: 0, unreadable: 1 });
  });
});

describe("secrets of an entry", () => {
  const webhook = async (store: Store, secret: string): Promise<void> => {
    const secrets = sealSecrets(box, secretPlace(ORG, "webhook", "ops"), { secret });
    await store.applyEntries(ORG, [{ change: "put", kind: "webhook", id: "ops", body: {}, secrets }], 1);
  };

  it("are values, or registered secrets in the place of references", async () => {
    const store = createMemoryStore();
    const secrets = secretsOver(store, box);
    await webhook(store, "whsec_plain");
    expect(await secrets.openEntry(ORG, "webhook", "ops")).toEqual({
      secrets: { secret: "whsec_plain" },
      refusals: {},
    });
    await webhook(store, "secret://signing");
    expect((await secrets.openEntry(ORG, "webhook", "ops")).refusals).toMatchObject({
      secret: { code: "unknown_secret" },
    });
    await stored(store, "signing", { scopes: ["webhook:other"] }, "whsec_signing");
    expect((await secrets.openEntry(ORG, "webhook", "ops")).refusals).toMatchObject({
      secret: { code: "secret_out_of_scope" },
    });
    await stored(store, "signing", { scopes: ["webhook:ops"] }, "whsec_signing");
    expect((await secrets.openEntry(ORG, "webhook", "ops")).secrets).toEqual({ secret: "whsec_signing" });
    const lost = await secretsOver(store, createSecretBox("other")).openEntry(ORG, "webhook", "ops");
    expect(lost).toMatchObject({ secrets: {}, refusals: { secret: { code: "secret_unreadable" } } });
  });

  it("are noted once a minute, however often messages come", async () => {
    const store = createMemoryStore();
    let now = 1_000;
    const secrets = secretsOver(store, box, { now: () => now });
    await webhook(store, "secret://signing");
    await stored(store, "signing", { scopes: ["webhook:ops"] }, "whsec_signing");
    for (let time = 0; time < 50; time += 1) await secrets.openEntry(ORG, "webhook", "ops");
    now += 59_999;
    await secrets.openEntry(ORG, "webhook", "ops");
    now += 1;
    await secrets.openEntry(ORG, "webhook", "ops");
    expect(await auditOf(store)).toHaveLength(2);
    expect(await store.secretUses(ORG)).toEqual(new Map([["signing", 61_000]]));
  });
});

describe("a secret kept elsewhere", () => {
  const at = (from: JsonObject): JsonObject => ({ scopes: ["gateway:eu"], from });
  const reason = async (secrets: Secrets, name: string): Promise<string> => {
    const found = await secrets.use(ORG, name, EU);
    return found.ok ? found.value : found.failure.message;
  };

  it("is a variable of the server, if its operator lists it", async () => {
    const store = createMemoryStore();
    const variables = { BILLING: "from-env", EMPTY: "" };
    const secrets = secretsOver(store, box, { variables, isKeyed: false });
    for (const [name, variable] of [
      ["listed", "BILLING"],
      ["own-key", "SLUICE_SECRET_KEY"],
      ["empty", "EMPTY"],
    ] as const) {
      await stored(store, name, at({ env: variable }));
    }
    expect(await reason(secrets, "listed")).toBe("from-env");
    expect(await reason(secrets, "own-key")).toContain("not in SLUICE_SECRETS_ENV");
    expect(await reason(secrets, "empty")).toContain("is not set");
  });

  it("is a file of one folder, read at each use, and no link leads out", async () => {
    const store = createMemoryStore();
    const inside = join(directory, "inside");
    mkdirSync(join(inside, "team"), { recursive: true });
    writeFileSync(join(directory, "outside"), "outside-value");
    writeFileSync(join(inside, "team", "token"), "file-value\n");
    writeFileSync(join(inside, "large"), "x".repeat(16_385));
    symlinkSync(join(directory, "outside"), join(inside, "link"));
    const secrets = secretsOver(store, box, { directory: inside });
    for (const file of ["team/token", "link", "large", "team", "absent"]) {
      await stored(store, file.replace("/", "-"), at({ file }));
    }
    expect(await reason(secrets, "team-token")).toBe("file-value");
    writeFileSync(join(inside, "team", "token"), "second-value");
    expect(await reason(secrets, "team-token")).toBe("second-value");
    expect(await reason(secrets, "link")).toContain("leads out of SLUICE_SECRETS_DIR");
    expect(await reason(secrets, "large")).toContain("no file of at most");
    expect(await reason(secrets, "team")).toContain("no file of at most");
    expect(await reason(secrets, "absent")).toBe(
      'The secret "absent" cannot be read. The file absent in SLUICE_SECRETS_DIR cannot be read.',
    );
    expect(await codeOf(secretsOver(store, box), "team-token")).toBe("secret_source_unavailable");
  });

  const guarded = (...allowed: readonly string[]): PeerAgent => {
    const allow = createAllowList(allowed);
    if (!allow.ok) throw new Error(allow.failure);
    const agent = new PeerAgent(new OutboundGuard({ allow: allow.value }));
    agents.push(agent);
    return agent;
  };
  const inVault = (more: JsonObject = {}): JsonObject =>
    at({ vault: { url: vault.url, path: "apps/billing", token: "secret://vault-token", ...more } });

  it("is a field of a secret in Vault, by a token that is a secret itself", async () => {
    const store = createMemoryStore();
    const secrets = secretsOver(store, box, { agent: guarded(vault.host) });
    vault.secrets.set("secret/apps/billing", { value: "vault-value", count: 3 });
    vault.secrets.set("kv/apps/billing", { other: "other-value" });
    await stored(store, "vault-token", { scopes: ["secret:billing*"] }, vault.token);
    await stored(store, "billing", inVault());
    await stored(store, "billing-other", inVault({ mount: "kv", field: "other", namespace: "team" }));
    await stored(store, "billing-number", inVault({ field: "count" }));
    await stored(store, "billing-absent", inVault({ path: "apps/absent" }));
    await stored(store, "unscoped", inVault());
    expect(await reason(secrets, "billing")).toBe("vault-value");
    expect(await reason(secrets, "billing-other")).toBe("other-value");
    expect(vault.asked).toEqual(["GET /v1/secret/data/apps/billing", "GET /v1/kv/data/apps/billing team"]);
    expect(await reason(secrets, "billing-number")).toContain('has no text "count"');
    expect(await reason(secrets, "billing-absent")).toContain("Vault has no secret at secret/apps/absent");
    expect(await reason(secrets, "unscoped")).toContain("secret_out_of_scope");
    vault.secrets.set("secret/apps/billing", { value: "changed-there" });
    expect(await reason(secrets, "billing")).toBe("changed-there");
  });

  it("is not read with a wrong token, in a circle, or where the server must not call", async () => {
    const store = createMemoryStore();
    await stored(store, "vault-token", { scopes: ["secret:*"] }, "hvs.another-token");
    await stored(store, "billing", inVault());
    expect(await reason(secretsOver(store, box, { agent: guarded(vault.host) }), "billing")).toContain("status 403");
    await stored(store, "circle", { ...inVault({ token: "secret://circle" }), scopes: ["gateway:eu", "secret:*"] });
    const circle = await reason(secretsOver(store, box, { agent: guarded(vault.host) }), "circle");
    expect(circle).toContain("is kept in Vault itself");
    const asked = vault.asked.length;
    expect(await reason(secretsOver(store, box, { agent: guarded() }), "billing")).toContain("Vault cannot be asked");
    expect(vault.asked).toHaveLength(asked);
  });
});
