import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { SluiceClient } from "../../src/client/index.ts";
import { LIMITS } from "../../src/core/base/index.ts";
import { KEY, openGround } from "./support/kills.ts";
import { freePort } from "./support/proxy.ts";
import { prepareProgram, type ServerProcess, startServer } from "./support/server-process.ts";

const SECRET = "the key that files are encrypted with";

beforeAll(() => prepareProgram(), 300_000);

/** Every file under a folder. */
function filesUnder(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

describe("an upload", () => {
  it("survives kill −9 of the server between and within its parts", { timeout: 300_000 }, async () => {
    const ground = openGround();
    const port = await freePort();
    const env = { SLUICE_SECRET_KEY: SECRET };
    const settings = { ...ground.settings, command: "up", databaseUrl: null, port, env } as const;
    let server: ServerProcess = await startServer(settings);
    const content = Buffer.from(new Uint8Array(randomBytes(5 * LIMITS.filePartBytes + 77)));
    const sha256 = createHash("sha256").update(content).digest("hex");
    const url = `http://127.0.0.1:${port}`;
    const client = new SluiceClient({ url, key: KEY });
    let restarting: Promise<void> = Promise.resolve();
    const kill = async (): Promise<void> => {
      await server.kill();
      server = await startServer(settings);
    };
    try {
      let reads = 0;
      const file = await client.files.upload({
        name: "large.bin",
        mime: "application/octet-stream",
        size: content.byteLength,
        sha256,
        read: async (from, to) => {
          reads += 1;
          // Before a part is sent, and while one is on its way.
          if (reads === 2) await kill();
          if (reads === 4) restarting = pause(15).then(kill);
          return new Uint8Array(content.subarray(from, to));
        },
      });
      await restarting;
      expect(file).toEqual({ name: "large.bin", mime: "application/octet-stream", size: content.byteLength, sha256 });
      const back = await fetch(`${url}/api/v1/files/${sha256}`, { headers: { authorization: `Bearer ${KEY}` } });
      expect(Buffer.from(await back.arrayBuffer()).equals(content)).toBe(true);
      // Nothing is readable where it is kept, and nothing half-written counts.
      const kept = filesUnder(join(ground.settings.data, "files"));
      const whole = kept.filter((path) => !path.endsWith(".tmp"));
      expect(whole.length).toBeGreaterThanOrEqual(6);
      const sample = content.subarray(1_000, 1_064);
      expect(kept.some((path) => readFileSync(path).includes(sample))).toBe(false);
    } finally {
      await restarting.catch(() => undefined);
      await server.kill();
      ground.dispose();
    }
  });
});
