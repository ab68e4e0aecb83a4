import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, type Api, createApi } from "../../test/api/fixture.ts";
import { callSluice } from "../../test/cli/terminal.ts";
import { AuditTrail, createSigner } from "../audit/index.ts";
import { serve, type Served } from "../server/index.ts";
import { readFormerKeys } from "./audit-key.ts";
import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";

let api: Api;
let served: Served;
beforeAll(async () => {
  api = await createApi();
  served = await serve({ app: api.app, port: 0, host: "127.0.0.1" });
});
afterAll(async () => {
  await served.close();
  await api.close();
});

const sluice = (...argv: readonly string[]) => callSluice(argv, { env: { SLUICE_URL: served.url, SLUICE_KEY: ADMIN } });

const [one, two] = ["0a", "0b"].map((byte) => createSigner(byte.repeat(32)).key);

describe("the key of the audit", () => {
  it("is shown, and what to set for another one proves what was signed before", async () => {
    const shown = await sluice("audit", "key");
    const present = /^key {2}(ed25519:\S+)\n$/.exec(shown.out)?.[1] ?? "";
    expect(shown.code).toBe(0);
    const { code, out, err } = await sluice("audit", "key", "--new");
    expect(code).toBe(0);
    const env = Object.fromEntries(
      out
        .trim()
        .split("\n")
        .map((line) => line.split(/=(.*)/).slice(0, 2)),
    );
    expect(Object.keys(env)).toEqual(["SLUICE_AUDIT_SEED", "SLUICE_AUDIT_FORMER_KEYS"]);
    const { key } = createSigner(String(env["SLUICE_AUDIT_SEED"]));
    expect(key).not.toBe(present);
    expect(err).toContain(`the new key is ${key}\n`);
    const formerKeys = readFormerKeys(env as Io["env"]);
    expect(formerKeys).toEqual([present]);
    const seed = String(env["SLUICE_AUDIT_SEED"]);
    const now = (): number => Date.now() + 120_000;
    const before = new AuditTrail({ store: api.store, now });
    await before.catchUp("default");
    const after = new AuditTrail({ store: api.store, now, seed, formerKeys });
    expect(await after.verify("default")).toMatchObject({ ok: true, key });
  });

  it("is printed for programs", async () => {
    const { out } = await sluice("audit", "key", "--json");
    expect(JSON.parse(out)).toMatchObject({ key: expect.stringMatching(/^ed25519:/), formerKeys: [] });
  });
});

describe("keys before it", () => {
  it.each([
    [undefined, []],
    ["", []],
    [one, [one]],
    [`${one},${two}`, [one, two]],
    [` ${one} ,\n${two} `, [one, two]],
  ])("are read from %j", (written, keys) => {
    expect(readFormerKeys(written === undefined ? {} : { SLUICE_AUDIT_FORMER_KEYS: written })).toEqual(keys);
  });

  it("that are none are refused without showing what may be a secret", () => {
    const seed = "0f".repeat(32);
    const read = (): unknown => readFormerKeys({ SLUICE_AUDIT_FORMER_KEYS: `${one},${seed}` });
    expect(read).toThrow(Refusal);
    expect(read).toThrow(/number 2 is no public key/);
    expect(read).not.toThrow(new RegExp(seed));
  });
});
