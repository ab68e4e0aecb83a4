import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, type Api, createApi } from "../../test/api/fixture.ts";
import { type Called, callSluice } from "../../test/cli/terminal.ts";
import { secretsOver } from "../../test/secrets/secrets-over.ts";
import { serve } from "../server/index.ts";

const cwd = mkdtempSync(join(tmpdir(), "sluice-secrets-cli-"));
let api: Api;
let served: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  api = await createApi({}, undefined, { secretKey: "the key of this server" });
  served = await serve({ app: api.app, port: 0, host: "127.0.0.1" });
});
afterAll(async () => {
  await served.close(0);
  await api.close();
  rmSync(cwd, { recursive: true, force: true });
  expect(api.troubles).toEqual([]);
});

const call = (argv: readonly string[], input = "", more: Readonly<Record<string, string>> = {}): Promise<Called> =>
  callSluice(["secrets", ...argv], { cwd, input, env: { SLUICE_URL: served.url, SLUICE_KEY: ADMIN, ...more } });
const valueOf = async (name: string): Promise<string> => {
  const use = { by: "dispatch", gateway: "eu", agent: "a", workflow: "w", tool: null } as const;
  const found = await secretsOver(api.store, api.gateways.box).use("default", name, use);
  return found.ok ? found.value : found.failure.code;
};

describe("sluice secrets", () => {
  it("set takes a value from a file, a variable or a pipe, without the end of its last line", async () => {
    writeFileSync(join(cwd, "token.txt"), "from-a-file\n");
    const set = await call(["set", "token", "--from-file", "token.txt", "--scope", "gateway:eu", "--scope", "agent:*"]);
    expect(set).toEqual({ code: 0, out: "", err: "token is version 1, for gateway:eu, agent:*\n" });
    expect(await valueOf("token")).toBe("from-a-file");
    await call(["set", "token", "--from-env", "NEW"], "", { NEW: "from-a-variable" });
    expect(await valueOf("token")).toBe("from-a-variable");
    const json = await call(["set", "token", "--stdin", "--json"], "two\nlines of it\r\n");
    expect(JSON.parse(json.out)).toMatchObject({ id: "token", version: 3, scopes: ["gateway:eu", "agent:*"] });
    expect(json.out).not.toContain("two");
    expect(await valueOf("token")).toBe("two\nlines of it");
  });

  it("rotate replaces the value and keeps the scopes; list, get and delete never show it", async () => {
    await call(["set", "rotated", "--stdin", "--scope", "gateway:eu"], "first-value");
    const rotated = await call(["rotate", "rotated", "--stdin"], "second-value");
    expect(rotated.err).toBe("rotated is version 2, for gateway:eu\n");
    expect(await valueOf("rotated")).toBe("second-value");
    const [list, one] = [await call(["list"]), await call(["get", "rotated"])];
    expect(list.out).toMatch(/SECRET +VERSION +SCOPES +FROM +LAST USED AT +CHANGED/);
    expect(list.out).toMatch(/rotated +2 +gateway:eu/);
    expect(one.out).toContain("gateway:eu");
    for (const { out, err } of [list, one, rotated]) expect(out + err).not.toMatch(/(?:first|second)-value/);
    expect((await call(["delete", "rotated", "--quiet"])).code).toBe(0);
    expect((await call(["rotate", "rotated", "--stdin"], "third-value")).err).toContain('There is no secret "rotated"');
  });

  it.each([
    [["set", "s"], "", "state where the value is: one of --from-file PATH, --from-env NAME, --stdin"],
    [["set", "s", "--stdin", "--from-env", "X"], "", "state where the value is"],
    [["set", "s", "--stdin"], "some value", "state who gets s: --scope KIND:NAME"],
    [["set", "s", "--from-env", "ABSENT", "--scope", "agent:a"], "", "ABSENT is not set"],
    [["set", "s", "--from-file", "absent", "--scope", "agent:a"], "", "absent cannot be read"],
    [["set", "s", "--stdin", "--scope", "team:a"], "some value", "The kinds are gateway, agent, tool"],
    [["set", "s", "--stdin", "--scope", "agent:a"], "pin42", "must have 6 to 4096 characters"],
  ])("%j: says what is wrong", async (argv, input, expected) => {
    const { code, err } = await call(argv, input);
    expect(code).not.toBe(0);
    expect(err).toContain(expected);
    expect(err).not.toMatch(/some value|pin42/);
  });
});
