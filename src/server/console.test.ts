import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, type Api, createApi } from "../../test/api/fixture.ts";
import { ConsoleFiles } from "./console.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-console-"));
const SCRIPT = `export const text = "${"x".repeat(2_000)}";`;
let now = Date.UTC(2026, 0, 1);
let api: Api;
beforeAll(async () => {
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>Sluice</title>");
  writeFileSync(join(folder, "theme.js"), "");
  writeFileSync(join(folder, "assets", "index-abc.js"), SCRIPT);
  api = await createApi({ consoleDirectory: folder, now: () => now });
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

const get = (path: string, headers: Record<string, string> = {}) => api.ask("GET", path, { key: null, headers });

describe("the console's files", () => {
  it("are the page at every address that is not the API's, never kept", async () => {
    for (const path of ["/", "/runs", "/runs/run_1", "/workflows/a.b", "/settings/keys/x", "/index.html"]) {
      const response = await get(path, { accept: "text/html,*/*" });
      expect([path, response.status, response.headers.get("cache-control")]).toEqual([path, 200, "no-store"]);
      expect(await response.text()).toContain("<title>Sluice</title>");
    }
  });

  it("are for people: programs get a 404", async () => {
    for (const path of ["/api/v1/nothing", "/api/nothing", "/assets/gone-abc.js", "/docs/nothing", "/execute/x"]) {
      const response = await get(path, { accept: "text/html" });
      expect([path, response.status, ((await response.json()) as { code: string }).code]).toEqual([
        path,
        404,
        "not_found",
      ]);
    }
    expect((await get("/runs", { accept: "application/json" })).status).toBe(404);
    expect((await api.ask("POST", "/runs", { key: null })).status).toBe(404);
  });

  it("are kept for ever when their name has a hash, and zipped for those who take it", async () => {
    const plain = await get("/assets/index-abc.js");
    expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(plain.headers.get("content-type")).toContain("javascript");
    expect(await plain.text()).toBe(SCRIPT);
    const zipped = await get("/assets/index-abc.js", { "accept-encoding": "br, gzip" });
    expect(zipped.headers.get("content-encoding")).toBe("gzip");
    expect(gunzipSync(Buffer.from(await zipped.arrayBuffer())).toString()).toBe(SCRIPT);
    const head = await api.ask("HEAD", "/assets/index-abc.js", { key: null });
    expect([head.headers.get("content-length"), await head.text()]).toEqual([String(SCRIPT.length), ""]);
    expect((await get("/theme.js")).headers.get("cache-control")).toBe("no-cache");
  });

  it("allow nothing but themselves", async () => {
    for (const path of ["/", "/assets/index-abc.js"]) {
      const { headers } = await get(path);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect([headers.get("x-content-type-options"), headers.get("referrer-policy")]).toEqual([
        "nosniff",
        "no-referrer",
      ]);
    }
  });

  it("may call whom the operator has named, and say whom", async () => {
    const connect = ["https://models.example.com", "http://127.0.0.1:11434"];
    const open = await createApi({ consoleDirectory: folder, consoleConnect: connect });
    const { headers } = await open.ask("GET", "/", { key: null });
    expect(headers.get("content-security-policy")).toContain(`; connect-src 'self' ${connect.join(" ")}; `);
    expect((await open.request("GET", "session")).body.connect).toEqual(connect);
    await open.close();
    expect((await api.request("GET", "session")).body.connect).toEqual([]);
  });

  it("are never served from outside their folder", async () => {
    for (const path of ["/../package.json", "/assets/../../etc/passwd", "/assets/%2e%2e/index.html", "/.built"]) {
      expect(await (await get(path, { accept: "text/html" })).text()).not.toMatch(/"name"|root:/);
    }
  });

  it("are not there where nothing was built: the plain pages stand in", async () => {
    expect(ConsoleFiles.open(join(folder, "nothing"))).toBeNull();
    const plain = await createApi({ consoleDirectory: join(folder, "nothing") });
    expect(await (await plain.ask("GET", "/", { key: null })).text()).toContain("<form");
    expect((await plain.ask("GET", "/runs", { key: null })).status).toBe(404);
    expect(plain.app.signInPath(ADMIN)).toBeNull();
    await plain.close();
  });
});

describe("a one-time link", () => {
  const cookieOf = (response: Response): string => response.headers.get("set-cookie") ?? "";

  it("signs in once", async () => {
    const path = api.app.signInPath(ADMIN) ?? "";
    expect(path).toMatch(/^\/session\/once\?ticket=[\w-]{32}$/);
    expect((await api.ask("HEAD", path, { key: null })).status).toBe(405);
    const first = await get(path);
    expect([first.status, first.headers.get("location")]).toEqual([303, "/"]);
    expect(cookieOf(first)).toMatch(/^sluice_session=[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=604800$/);
    const cookie = cookieOf(first).split(";")[0] ?? "";
    const session = await api.request("GET", "session", { key: null, headers: { cookie } });
    expect(session.body).toMatchObject({ organisation: "default", label: "admin", agent: null, expiresAt: null });
    const second = await get(path);
    expect([second.status, second.headers.get("location"), cookieOf(second)]).toEqual([303, "/?link=used", ""]);
  });

  it("is good for ten minutes", async () => {
    const [fresh, old] = [api.app.signInPath(ADMIN) ?? "", api.app.signInPath(ADMIN) ?? ""];
    now += 599_999;
    expect((await get(fresh)).headers.get("location")).toBe("/");
    now += 1;
    expect((await get(old)).headers.get("location")).toBe("/?link=used");
  });

  it("opens nothing when it is made up, or its key was taken back", async () => {
    for (const path of ["/session/once", "/session/once?ticket=", "/session/once?ticket=../../x"]) {
      expect((await get(path)).headers.get("location")).toBe("/?link=used");
    }
    const secret = await api.key("viewer");
    const path = api.app.signInPath(secret) ?? "";
    const { body } = await api.request("GET", "session", { key: secret });
    await api.request("DELETE", `keys/${body.keyId}`);
    expect((await get(path)).headers.get("location")).toBe("/?link=used");
  });

  it("makes room for new ones, and keeps no more than a hundred", async () => {
    const oldest = api.app.signInPath(ADMIN) ?? "";
    const rest = Array.from({ length: 100 }, () => api.app.signInPath(ADMIN) ?? "");
    expect((await get(oldest)).headers.get("location")).toBe("/?link=used");
    expect((await get(rest[0] ?? "")).headers.get("location")).toBe("/");
  });
});

describe("signing in by script", () => {
  it("gets a status", async () => {
    const send = (key: string) => {
      const body = new URLSearchParams({ key }).toString();
      const headers = {
        origin: "http://localhost",
        accept: "application/json",
        "content-type": "application/x-www-form-urlencoded",
        "content-length": String(body.length),
      };
      return api.request("POST", "/session", { key: null, body, headers });
    };
    const yes = await send(ADMIN);
    expect([yes.status, yes.headers.get("set-cookie")]).toEqual([204, expect.stringContaining("HttpOnly")]);
    const no = await send("slk_nobody_knows_this");
    expect([no.status, no.body.code, no.headers.get("set-cookie")]).toEqual([401, "unauthenticated", null]);
  });
});
