import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import {
  createFolderObjects,
  createMemoryObjects,
  createS3Objects,
  Files,
  type ObjectStore,
} from "../../src/files/index.ts";
import { createMemoryStore, UNUSED_FILE_MS } from "../../src/store/index.ts";
import { creation } from "../contracts/shares.ts";
import { once, sha256 } from "./kept.ts";
import { ACCESS, openS3Server, type S3Server } from "./s3-server.ts";

const clean: (() => unknown)[] = [];
afterEach(async () => {
  for (const work of clean.splice(0).reverse()) await work();
});

let s3: S3Server | null = null;
let folder = "";

const STORES: Readonly<Record<string, () => Promise<ObjectStore>>> = {
  memory: async () => createMemoryObjects(),
  "a folder": async () => {
    folder = mkdtempSync(join(tmpdir(), "objects-"));
    clean.push(() => rmSync(folder, { recursive: true, force: true }));
    return createFolderObjects(join(folder, "files"));
  },
  "an S3 service": async () => {
    const opened = await openS3Server();
    s3 = opened;
    clean.push(() => opened.close());
    const objects = createS3Objects({ url: opened.url, ...ACCESS });
    clean.push(() => objects.close());
    return objects;
  },
};

async function gather(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(Uint8Array.from(piece));
  return Buffer.concat(pieces);
}

describe.each(Object.entries(STORES))("objects in %s", (_name, open) => {
  it("are put whole, read in ranges, replaced and removed", async () => {
    const objects = await open();
    const bytes = randomBytes(300_000);
    await objects.put("plain/a/1-x", bytes.byteLength, once(bytes));
    await objects.put("plain/a/2-y", 1, once(Buffer.from("y")));
    await objects.put("plain/a/3-z", 1, once(Buffer.from("z")));
    await objects.put("plain/ab/1-x", 1, once(Buffer.from("b")));
    for (const [from, length] of [
      [0, 300_000],
      [0, 1],
      [299_999, 1],
      [70_000, 130_000],
    ] as const) {
      expect(
        (await gather(objects.read("plain/a/1-x", from, length))).equals(bytes.subarray(from, from + length)),
      ).toBe(true);
    }
    await objects.remove("plain/a/2-y");
    await expect(gather(objects.read("plain/a/2-y", 0, 1))).rejects.toThrow();
    await objects.remove("plain/a");
    await objects.remove("plain/a");
    await expect(gather(objects.read("plain/a/1-x", 0, 1))).rejects.toThrow();
    await expect(gather(objects.read("plain/a/3-z", 0, 1))).rejects.toThrow();
    expect((await gather(objects.read("plain/ab/1-x", 0, 1))).toString()).toBe("b");
  });

  it("are not there when their content fails or has another size", async () => {
    const objects = await open();
    const failing = async function* (): AsyncIterable<Uint8Array> {
      yield Buffer.from("half");
      throw new Error("the caller went away");
    };
    await expect(objects.put("plain/a/1-x", 8, failing())).rejects.toThrow("the caller went away");
    await expect(objects.put("plain/a/1-x", 8, once(Buffer.from("four")))).rejects.toThrow();
    await expect(objects.put("plain/a/1-x", 2, once(Buffer.from("four")))).rejects.toThrow();
    await expect(gather(objects.read("plain/a/1-x", 0, 1))).rejects.toThrow();
  });

  it("hold files that are encrypted, and are gone a day after the last run that needs them", async () => {
    const objects = await open();
    let now = Date.now();
    const store = createMemoryStore({ now: () => now });
    const files = new Files({ store, objects, secretKey: "secret", now: () => now });
    const put = (text: string) =>
      files.put("org_1", "key_1", { name: "a.txt", mime: "text/plain", size: text.length }, once(Buffer.from(text)));
    const [used, unused] = [await put("used by a run"), await put("used by none")];
    await store.commit([creation("run_1", {}, { files: [used] })]);
    await files.sweep(100);
    now += UNUSED_FILE_MS + 60_000;
    await files.sweep(100);
    await files.sweep(100);
    const kept = await store.getFile("org_1", used.sha256);
    if (kept === undefined) throw new Error("a file of a run was deleted");
    expect((await gather(files.read(kept))).toString()).toBe("used by a run");
    expect(await store.getFile("org_1", unused.sha256)).toBeUndefined();
    expect(await store.listFileGarbage(10)).toEqual([]);
    // Without the key it cannot be read, and with another key neither.
    for (const secretKey of [null, "other"]) {
      const others = new Files({ store, objects, secretKey, now: () => now });
      await expect(gather(others.read(kept))).rejects.toMatchObject({ code: "file_store_unavailable" });
    }
    const later = new Files({ store, objects, secretKey: "other", formerKeys: ["secret"], now: () => now });
    expect((await gather(later.read(kept))).toString()).toBe("used by a run");
    // What was kept in plain is read by a server that encrypts.
    const plain = new Files({ store, objects, secretKey: null, now: () => now });
    const before = await plain.put("org_1", "key_1", { name: "b", mime: "a/b", size: 1 }, once(Buffer.from("b")));
    const record = await store.getFile("org_1", before.sha256);
    if (record === undefined) throw new Error("it was not kept");
    expect((await gather(files.read(record))).toString()).toBe("b");
  });
});

describe("a folder of objects", () => {
  it("leaves nothing half-written, and is for its owner alone", async () => {
    const objects = await (STORES["a folder"] as () => Promise<ObjectStore>)();
    const failing = async function* (): AsyncIterable<Uint8Array> {
      yield Buffer.from("half");
      throw new Error("gone");
    };
    await objects.put("plain/a/2-x", 4, once(Buffer.from("full")));
    await expect(objects.put("plain/a/1-x", 8, failing())).rejects.toThrow("gone");
    expect(readdirSync(join(folder, "files/plain/a"))).toEqual(["2-x"]);
    expect(readFileSync(join(folder, "files/plain/a/2-x"), "utf8")).toBe("full");
  });

  it("says what the system refuses", async () => {
    await (STORES["a folder"] as () => Promise<ObjectStore>)();
    writeFileSync(join(folder, "taken"), "");
    const objects = createFolderObjects(join(folder, "taken"));
    await expect(objects.put("plain/a/1-x", 1, once(Buffer.from("x")))).rejects.toMatchObject({
      name: "ObjectsUnavailable",
    });
  });
});

describe("an S3 service", () => {
  const open = async () => {
    const objects = await (STORES["an S3 service"] as () => Promise<ObjectStore>)();
    if (s3 === null) throw new Error("it is open");
    return { objects, service: s3 };
  };

  it("is asked again when it is busy, and given up when it stays so", async () => {
    const { objects, service } = await open();
    service.fail(503, 2);
    await objects.put("plain/a/1-x", 1, once(Buffer.from("x")));
    expect(service.objects.get("plain/a/1-x")?.toString()).toBe("x");
    service.fail(500, 3);
    await expect(objects.put("plain/a/2-x", 1, once(Buffer.from("x")))).rejects.toThrow(/500/);
    service.fail(0, 0);
    service.cut = 5;
    await objects.put("plain/a/3-x", 9, once(Buffer.from("123456789")));
    await expect(gather(objects.read("plain/a/3-x", 0, 9))).rejects.toThrow(/broke off|not as long/);
  });

  it("refuses another key, another region and another bucket", async () => {
    const { service } = await open();
    for (const wrong of [{ secretAccessKey: "x" }, { accessKeyId: "x" }, { region: "x" }, { bucket: "other" }]) {
      const objects = createS3Objects({ url: service.url, ...ACCESS, ...wrong });
      await expect(objects.put("plain/a/1-x", 1, once(Buffer.from("x")))).rejects.toThrow(/status 40[34]/);
      objects.close();
    }
    expect(service.objects.size).toBe(0);
  });

  it("keeps content that only its hash names", async () => {
    const { objects, service } = await open();
    const store = createMemoryStore();
    const files = new Files({ store, objects, secretKey: "k", now: Date.now });
    const text = "nothing of this is readable in the bucket";
    const file = await files.put(
      "org_1",
      "key_1",
      { name: "a.txt", mime: "text/plain", size: text.length },
      once(Buffer.from(text)),
    );
    expect(file.sha256).toBe(sha256(text));
    expect([...service.objects].every(([key, bytes]) => key.startsWith("sealed/") && !bytes.includes("readable"))).toBe(
      true,
    );
  });
});
