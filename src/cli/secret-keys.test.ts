import { describe, expect, it } from "vitest";
import { createSecretBox, sealSecrets, secretPlace } from "../seal/index.ts";
import { createMemoryStore, type Store } from "../store/index.ts";
import { openSecretKeys, readSecretSources } from "./secret-keys.ts";

const OWN = "the installation's own key";

/** A store with a webhook whose secret was sealed with this key. */
async function storeSealedWith(key: string): Promise<Store> {
  const store = createMemoryStore();
  await store.ensureSecret("secret_box", OWN);
  const secrets = sealSecrets(createSecretBox(key), secretPlace("o", "webhook", "ops"), { secret: "whsec_value" });
  await store.applyEntries("o", [{ change: "put", kind: "webhook", id: "ops", body: {}, secrets }], 1);
  return store;
}

async function open(store: Store, env: Readonly<Record<string, string>>) {
  let said = "";
  const add = (text: string): void => void (said += text);
  const keys = await openSecretKeys(env, store, { info: add, warn: add });
  return { keys, said };
}

describe("the keys of a server", () => {
  it("are none, one, or one with the one before it", async () => {
    expect((await open(createMemoryStore(), {})).keys).toEqual({ secretKey: null, formerKeys: [] });
    const env = { SLUICE_SECRET_KEY: "new", SLUICE_SECRET_KEY_OLD: "old" };
    expect(await open(createMemoryStore(), env)).toEqual({ keys: { secretKey: "new", formerKeys: ["old"] }, said: "" });
    await expect(open(createMemoryStore(), { SLUICE_SECRET_KEY_OLD: "old" })).rejects.toThrow(
      "without SLUICE_SECRET_KEY",
    );
  });

  it.each([
    ["the key before it", "old"],
    ["the installation's own key", OWN],
  ])("seal again what %s has sealed, once", async (_who, key) => {
    const store = await storeSealedWith(key);
    const env = { SLUICE_SECRET_KEY: "new", SLUICE_SECRET_KEY_OLD: "old" };
    expect((await open(store, env)).said).toContain("1 secret sealed again with SLUICE_SECRET_KEY");
    const { secret = "" } = await store.entrySecrets("o", "webhook", "ops");
    expect(createSecretBox("new").open(secret, "o/webhook/ops/secret")).toBe("whsec_value");
    expect((await open(store, env)).said).toBe("");
  });

  it("leave alone what they cannot open, and say so without ending", async () => {
    const store = await storeSealedWith("lost");
    const before = await store.entrySecrets("o", "webhook", "ops");
    expect((await open(store, { SLUICE_SECRET_KEY: "new" })).said).toContain("1 secret cannot be opened");
    expect(await store.entrySecrets("o", "webhook", "ops")).toEqual(before);
  });
});

describe("places outside for secrets", () => {
  it("are what the operator lists, and nothing else of the environment", () => {
    const env = { A: "a", B: "b", SLUICE_SECRETS_ENV: "A, C,", SLUICE_SECRETS_DIR: "/run/secrets" };
    expect(readSecretSources(env)).toEqual({ variables: { A: "a", C: "" }, directory: "/run/secrets" });
    expect(readSecretSources({ A: "a" })).toEqual({ variables: {}, directory: null });
  });
});
