import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startToolServer, type ToolServer } from "../../../test/mcp/http-server.ts";
import { attempt } from "../../../test/providers/index.ts";
import type { Adapter, AdapterFiles } from "../../adapter/index.ts";
import type { FileValue, Json, JsonObject } from "../../core/base/index.ts";
import { createMcpAdapter } from "./mcp-adapter.ts";

let server: ToolServer;
let adapter: Adapter;

beforeAll(async () => {
  server = await startToolServer({});
  adapter = createMcpAdapter({ env: {} });
  await adapter.initialize({ servers: { tools: { url: server.url } } });
});
afterAll(async () => {
  await adapter.shutdown();
  await server.close();
});

/** Files of one attempt, in memory. */
class KeptFiles implements AdapterFiles {
  readonly contents = new Map<string, Buffer>();

  add(name: string, mime: string, content: Buffer): FileValue {
    const sha256 = createHash("sha256").update(content).digest("hex");
    this.contents.set(sha256, content);
    return { name, mime, size: content.byteLength, sha256 };
  }

  async *read({ sha256 }: FileValue): AsyncIterable<Uint8Array> {
    const content = this.contents.get(sha256);
    if (content === undefined) throw Object.assign(new Error("not of this run"), { code: "unknown_file" });
    yield content;
  }

  async write(
    { name, mime }: Pick<FileValue, "name" | "mime">,
    content: AsyncIterable<Uint8Array>,
  ): Promise<FileValue> {
    const pieces: Uint8Array[] = [];
    for await (const piece of content) pieces.push(piece);
    return this.add(name, mime, Buffer.concat(pieces));
  }
}

const call = (inputs: Readonly<Record<string, Json>>, files: AdapterFiles, outputSchema?: JsonObject) =>
  attempt(adapter, { provider: "mcp", inputs, ...(outputSchema === undefined ? {} : { outputSchema }) }, { files });

describe("files of a tool of an MCP server", () => {
  it("go as embedded resources, wherever they are in the arguments", async () => {
    const files = new KeptFiles();
    const scan = files.add("a scan.png", "image/png", Buffer.from([0, 255, 1]));
    const note = files.add("note.txt", "text/plain", Buffer.from("grüße"));
    const args = { case: { scan: { ...scan } }, notes: [{ ...note }], plain: 1 };
    const { result } = await call({ tool: "tools/echo", arguments: args }, files);
    expect(result.status).toBe("completed");
    expect(JSON.parse("stdout" in result ? (result.stdout ?? "") : "")).toEqual({
      case: {
        scan: {
          type: "resource",
          resource: {
            uri: `sluice://files/${scan.sha256}/a%20scan.png`,
            mimeType: "image/png",
            blob: Buffer.from([0, 255, 1]).toString("base64"),
          },
        },
      },
      notes: [
        {
          type: "resource",
          resource: { uri: `sluice://files/${note.sha256}/note.txt`, mimeType: "text/plain", text: "grüße" },
        },
      ],
      plain: 1,
    });
  });

  it("come from its answer where the step declares them", async () => {
    const files = new KeptFiles();
    const file = { type: "object", format: "file" };
    const properties = { picture: file, others: { type: "array", items: file }, answer: { type: "integer" } };
    const { result } = await call({ tool: "tools/parts" }, files, { type: "object", properties });
    expect(result).toMatchObject({
      status: "completed",
      outputs: {
        answer: 42,
        picture: { name: "picture.png", mime: "image/png", size: 5 },
        others: [
          { mime: "audio/wav" },
          { mime: "application/octet-stream", size: 5 },
          { name: "others-3.bin", mime: "application/octet-stream" },
        ],
      },
    });
    expect(JSON.stringify(result)).not.toContain("aGVsbG8=");
  });

  it("are refused when they are unknown, or too large for one message", async () => {
    const files = new KeptFiles();
    const unknown = { name: "x", mime: "image/png", size: 1, sha256: "0".repeat(64) };
    const { result: missing } = await call({ tool: "tools/echo", x: unknown }, files);
    expect(missing).toMatchObject({ status: "failed", failure: "provider_refused", retryable: false });
    expect("message" in missing ? missing.message : "").toMatch(/^unknown_file: /u);
    const { result: large } = await call({ tool: "tools/echo", x: { ...unknown, size: 17 * 1_048_576 } }, files);
    expect("message" in large ? large.message : "").toMatch(/^file_too_large: /u);
  });
});
