import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REPOSITORY } from "./law/source.ts";

const COPIED = ["package.json", "package-lock.json", "vite.config.ts", "tsconfig.json", "scripts", "src"];
const PATIENCE = 180_000;

describe("npm run dev", () => {
  const root = mkdtempSync(join(tmpdir(), "sluice-dev-"));
  let dev: ChildProcess;
  let output = "";

  const printed = async (pattern: RegExp): Promise<string> => {
    await expect.poll(() => pattern.exec(output)?.[1], { timeout: PATIENCE, message: output }).toBeDefined();
    return pattern.exec(output)?.[1] ?? "";
  };

  beforeAll(() => {
    for (const path of COPIED) cpSync(join(REPOSITORY, path), join(root, path), { recursive: true });
    symlinkSync(join(REPOSITORY, "node_modules"), join(root, "node_modules"));
    // Older than what is installed, so that nothing is installed into the packages of this checkout.
    utimesSync(join(root, "package-lock.json"), 0, 0);
    dev = spawn(process.execPath, ["scripts/dev.mjs", "--port", "0", "--no-demo"], {
      cwd: root,
      env: { ...process.env, SLUICE_DEV_PORT: "0", SLUICE_DATA: join(root, ".sluice") },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [dev.stdout, dev.stderr]) stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  });
  afterAll(async () => {
    if (dev.exitCode === null) {
      const ended = new Promise((resolve) => dev.once("exit", resolve));
      dev.kill("SIGKILL");
      await ended;
    }
    rmSync(root, { recursive: true, force: true });
  });

  it(
    "serves the console and the API, reloads the server after a saved file, and ends with one signal",
    async () => {
      const link = await printed(/Console +(\S+)/);
      const pages = new URL(link).origin;
      const signedIn = await fetch(link, { redirect: "manual" });
      const [cookie = ""] = (signedIn.headers.getSetCookie()[0] ?? "").split(";");
      const session = (): Promise<Response> => fetch(`${pages}/api/v1/session`, { headers: { cookie } });
      expect((await session()).status).toBe(200);
      expect((await fetch(`${pages}/api/v1/session`)).status).toBe(401);
      expect((await fetch(link.replace(/token=.*/, "token=x"), { redirect: "manual" })).status).toBe(404);
      expect(await (await fetch(`${pages}/main.tsx`)).text()).toContain("import");

      const serverPid = (): number | null => {
        try {
          return (JSON.parse(readFileSync(join(root, ".sluice/server.json"), "utf8")) as { pid: number }).pid;
        } catch {
          return null;
        }
      };
      const before = serverPid();
      expect(before).not.toBeNull();
      appendFileSync(join(root, "src/cli/version.ts"), "\nexport const SAVED = true;\n");
      await expect.poll(() => [null, before].includes(serverPid()), { timeout: PATIENCE, message: output }).toBe(false);
      await expect.poll(async () => (await session()).status).toBe(200);

      const ended = new Promise((resolve) => dev.once("exit", resolve));
      dev.kill("SIGINT");
      expect(await ended).toBe(0);
      expect(serverPid()).toBeNull();
    },
    4 * PATIENCE,
  );
});
