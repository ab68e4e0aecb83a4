import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AdapterFiles, AdapterRequest, AdapterResult } from "../../src/adapter/index.ts";
import { createHttpAdapter } from "../../src/adapters/http/http-adapter.ts";
import { createProcessAdapter } from "../../src/adapters/process/process-adapter.ts";
import type { FileValue, JsonObject } from "../../src/core/base/index.ts";
import type { OutputField } from "../../src/core/definition/index.ts";
import { outputJsonSchema } from "../../src/core/outputs/index.ts";
import { type Kept, openKept, REQUEST, sha256 } from "./kept.ts";

let kept: Kept;
let root = "";
const clean: (() => unknown)[] = [];
beforeEach(async () => {
  kept = await openKept();
  root = mkdtempSync(join(tmpdir(), "adapter-files-"));
  clean.push(() => rmSync(root, { recursive: true, force: true }));
});
afterEach(async () => {
  for (const work of clean.splice(0).reverse()) await work();
});

const file = (more: Partial<OutputField> = {}): OutputField => ({ type: "file", required: true, ...more });
const schemaOf = (fields: Readonly<Record<string, OutputField>>): NonNullable<AdapterRequest["outputSchema"]> => ({
  ...outputJsonSchema(fields),
});
const hooks = (files: AdapterFiles | null = kept.ofRun) => ({
  signal: new AbortController().signal,
  onPartial: () => {},
  onLog: () => {},
  ...(files === null ? {} : { files }),
});

async function command(
  script: string,
  request: Partial<AdapterRequest>,
  files?: AdapterFiles | null,
): Promise<AdapterResult> {
  const adapter = createProcessAdapter({ env: {}, directory: join(root, "work"), graceMs: 50 });
  await adapter.initialize({ commands: { it: { argv: ["/bin/sh", "-c", script] } } });
  try {
    return await adapter.execute({ ...REQUEST, ...request }, hooks(files));
  } finally {
    await adapter.shutdown();
  }
}

const outputsOf = (result: AdapterResult): Readonly<Record<string, unknown>> =>
  result.status === "completed" ? (result.outputs ?? {}) : { failed: result.status === "failed" ? result.message : "" };

describe("the process adapter", () => {
  it("gives files in the working folder, and keeps those that are left as outputs", async () => {
    const report = await kept.give("report ü.txt", "tide tables");
    const script = `cat "files/report ü.txt" > outputs/copy.txt; cat "$SLUICE_FILE_REPORT" | wc -c; echo '{"pages": 3}'`;
    const outputSchema = schemaOf({ copy: file(), pages: { type: "integer", required: true } });
    const outputs = outputsOf(await command(script, { inputs: { report: { ...report } }, outputSchema }));
    expect(outputs).toEqual({
      pages: 3,
      copy: { name: "copy.txt", mime: "text/plain", size: 11, sha256: sha256("tide tables") },
    });
    expect(await kept.text(outputs["copy"] as FileValue)).toBe("tide tables");
  });

  it("gives two files of one name, and lists of files", async () => {
    const [first, second] = [await kept.give("a.txt", "one"), await kept.give("a.txt", "two")];
    const script = `cat "$SLUICE_FILE_A" "$SLUICE_FILE_B" > "$SLUICE_OUTPUTS/both"; ls files`;
    const request = { inputs: { a: { ...first }, b: [{ ...second }] }, outputSchema: schemaOf({ result: file() }) };
    const outputs = outputsOf(await command(script, request));
    // The only file there is, is the only output there is.
    expect(outputs["result"]).toMatchObject({ name: "both", size: 6 });
    expect(await kept.text(outputs["result"] as FileValue)).toBe("onetwo");
  });

  it.each([
    ["2", "2"],
    ["a", "3", "a"],
    ["2", "2", "2_", "4", "4"],
  ])("gives files of one name beside files that are called like numbers: %s, %s", async (...names) => {
    const inputs: Record<string, JsonObject> = {};
    for (const [index, name] of names.entries()) inputs[`i${index}`] = { ...(await kept.give(name, `${index} `)) };
    const script = `cat ${names.map((_, index) => `"$SLUICE_FILE_I${index}"`).join(" ")}`;
    const result = await command(script, { inputs });
    expect(result).toMatchObject({ status: "completed", stdout: names.map((_, index) => `${index} `).join("") });
  });

  it("keeps the rest as a list", async () => {
    const outputSchema = schemaOf({
      main: file(),
      pages: { type: "array", required: true, items: { type: "file" } },
    });
    const script = "cd outputs; echo m > main.md; echo 2 > p2.png; echo 1 > p1.png";
    const outputs = outputsOf(await command(script, { outputSchema }));
    expect(outputs["main"]).toMatchObject({ name: "main.md", mime: "text/markdown" });
    expect(outputs["pages"]).toMatchObject([
      { name: "p1.png", mime: "image/png" },
      { name: "p2.png", mime: "image/png" },
    ]);
  });

  it("leaves what is not there to the contract", async () => {
    expect(await command("echo nothing", { outputSchema: schemaOf({ copy: file() }) })).toMatchObject({
      status: "completed",
      stdout: "nothing\n",
    });
  });

  it.each([
    ["ln -s /etc/passwd outputs/copy", "bad_file_name"],
    ["mkfifo outputs/copy", "bad_file_name"],
    ["mkdir outputs/copy", "bad_file_name"],
    ["rmdir outputs; ln -s /etc outputs", "bad_file_name"],
    [": > outputs/copy", "empty_file"],
    ["echo x > \"outputs/copy.$(printf 'a\\nb')\"", "bad_file_name"],
  ])("refuses what `%s` leaves, as %s", async (script, code) => {
    const result = await command(script, { outputSchema: schemaOf({ copy: file() }) });
    expect(result).toMatchObject({ status: "failed", failure: "provider_refused", retryable: false });
    expect(result.status === "failed" && result.message.startsWith(`${code}:`)).toBe(true);
  });

  it("gives no file that the run does not refer to", async () => {
    writeFileSync(join(root, "secret"), "secret");
    const foreign = { name: "a.txt", mime: "text/plain", size: 6, sha256: sha256("theirs") };
    await kept.files.put(
      "org_1",
      "key_2",
      { name: "a.txt", mime: "text/plain", size: 6 },
      (async function* () {
        yield Buffer.from("theirs");
      })(),
    );
    expect(await command("cat files/*", { inputs: { a: foreign } })).toMatchObject({
      status: "failed",
      failure: "provider_refused",
      message: expect.stringMatching(/^unknown_file:/),
    });
    expect(await command("true", { inputs: { a: foreign } }, null)).toMatchObject({
      status: "failed",
      failure: "provider_error",
    });
  });
});

describe("the http adapter", () => {
  const serve = async (): Promise<{ url: string; forms: () => Promise<FormData>[] }> => {
    const forms: Promise<FormData>[] = [];
    const server = createServer((request, response) => {
      const pieces: Uint8Array[] = [];
      request.on("data", (piece: Uint8Array) => pieces.push(piece));
      request.on("end", () => {
        const body = Buffer.concat(pieces);
        expect(body.byteLength).toBe(Number(request.headers["content-length"]));
        const headers = { "content-type": request.headers["content-type"] ?? "" };
        forms.push(new Response(body, { headers }).formData());
        response.end("{}");
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    clean.push(() => new Promise((resolve) => server.close(resolve)));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, forms: () => forms };
  };
  const post = async (request: Partial<AdapterRequest>, files?: AdapterFiles): Promise<AdapterResult> => {
    const adapter = createHttpAdapter({ env: {} });
    await adapter.initialize({ allow: ["127.0.0.1"] });
    return adapter.execute({ ...REQUEST, provider: "http", ...request }, hooks(files));
  };

  it("sends files as a form, with the other values beside them", async () => {
    const { url, forms } = await serve();
    const [report, page] = [
      await kept.give('re"port.txt', "tide tables"),
      await kept.give("p.png", "png", "image/png"),
    ];
    const inputs = { url, report: { ...report }, pages: [{ ...page }, { ...page }], lang: "de", count: 3 };
    expect(await post({ inputs })).toMatchObject({ status: "completed" });
    const form = await forms()[0];
    expect(form?.get("lang")).toBe("de");
    expect(form?.get("count")).toBe("3");
    expect(form?.has("url")).toBe(false);
    const sent = form?.get("report");
    expect(sent instanceof File && [sent.type, await sent.text()]).toEqual(["text/plain", "tide tables"]);
    expect(form?.getAll("pages")).toHaveLength(2);
  });

  it("sends the members of the body as fields", async () => {
    const { url, forms } = await serve();
    const report = await kept.give("a.txt", "x");
    const body = { labels: ["a"], title: "t" };
    expect(await post({ inputs: { url, body, report: { ...report }, other: 1 } })).toMatchObject({
      status: "completed",
    });
    const form = await forms()[0];
    expect([...(form?.keys() ?? [])].sort()).toEqual(["labels", "report", "title"]);
    expect(form?.get("labels")).toBe('["a"]');
  });

  it("reports a file that is not there as what it is", async () => {
    const { url } = await serve();
    const gone = { name: "a", mime: "a/b", size: 3, sha256: "f".repeat(64) };
    expect(await post({ inputs: { url, gone } })).toMatchObject({
      status: "failed",
      failure: "provider_refused",
      message: expect.stringMatching(/^unknown_file:/),
    });
  });
});
