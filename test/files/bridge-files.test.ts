import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProcessAdapter } from "../../src/adapters/process/process-adapter.ts";
import { startBridge } from "../../src/bridge/index.ts";
import { SluiceClient } from "../../src/client/index.ts";
import { createSystemClock } from "../../src/clock/index.ts";
import { LIMITS } from "../../src/core/base/index.ts";
import { serve, type Served } from "../../src/server/index.ts";
import { ADMIN, type Api, createApi, ORG } from "../api/fixture.ts";
import { openFakeBridge, until } from "../gateway/fake-bridge.ts";
import { sha256 } from "./kept.ts";

const COPY = `name: copy
args:
  report: { type: file, required: true }
steps:
  - id: copy
    command: copy
    inputs: { report: { type: file } }
    outputs: { copied: file, pages: { type: array, items: { type: file }, required: false } }
  - id: again
    command: copy
    depends_on: [copy]
    inputs: { report: copy.outputs.copied }
    outputs: { copied: file }
`;

let api: Api;
let server: Served;
let client: SluiceClient;
let folder = "";
const clean: (() => unknown)[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "bridge-files-"));
  clean.push(() => rmSync(folder, { recursive: true, force: true }));
  let url = "";
  api = await createApi({}, undefined, { isRemote: true, publicUrl: () => url });
  clean.push(() => api.close());
  server = await serve({ app: api.app, port: 0, host: "127.0.0.1" });
  clean.push(() => server.close(0));
  url = `http://127.0.0.1:${server.port}`;
  client = new SluiceClient({ url, key: ADMIN });
  const adapter = createProcessAdapter({ env: {}, directory: join(folder, "work") });
  const script = 'test "$(ls files)" = "$(basename "$SLUICE_FILE_REPORT")" && cat files/* > outputs/copied.bin';
  await adapter.initialize({ commands: { copy: { argv: ["/bin/sh", "-c", script] } } });
  const bridge = await startBridge({
    adapters: [adapter],
    clock: createSystemClock(),
    host: "127.0.0.1",
    port: 0,
    dataDirectory: join(folder, "bridge"),
    joinToken: ADMIN,
    instanceId: "brg_1",
    random: Math.random,
    register: { server: url, id: "bridge", defaultProvider: "process" },
  });
  clean.push(() => bridge.close(0));
  await until(() => bridge.isRegistered());
  await api.save(COPY);
});
afterAll(async () => {
  for (const work of clean.reverse()) await work();
});

describe("files over the wire to a Bridge", () => {
  it("are fetched by the Bridge, and what it leaves is sent back", async () => {
    const content = Buffer.from(new Uint8Array(randomBytes(LIMITS.filePartBytes + 4_321)));
    const report = await client.files.upload({
      name: "report.bin",
      mime: "application/octet-stream",
      size: content.byteLength,
      sha256: sha256(content),
      read: async (from, to) => new Uint8Array(content.subarray(from, to)),
    });
    const runId = await api.run("copy", { report: { ...report } });
    const { body } = await api.request("GET", `runs/${runId}/state`);
    expect(body.status).toBe("completed");
    const copied = {
      name: "copied.bin",
      mime: "application/octet-stream",
      size: content.byteLength,
      sha256: report.sha256,
    };
    expect(body.nodeResults.map((node: { outputs: unknown }) => node.outputs)).toMatchObject([{ copied }, { copied }]);
    expect(await api.store.listRunFiles(ORG, runId)).toEqual([copied, report]);
    // Equal content is kept once.
    expect((await client.files.list()).data).toHaveLength(1);
  });
});

describe("the address of an attempt's files", () => {
  it("opens the files of its run while it is open, and nothing else", async () => {
    const other = await openFakeBridge();
    clean.push(() => other.close());
    await api.request("PUT", "gateways/other", {
      body: { url: other.url, providers: ["other"], callback_token: "cbt_of_the_other_gateway" },
    });
    await api.save(
      COPY.replace("name: copy", "name: held").replaceAll("command: copy\n", "command: copy\n    provider: other\n"),
    );
    const put = (content: string) =>
      client.files.upload({
        name: "a.txt",
        mime: "text/plain",
        size: content.length,
        read: async (from, to) => new Uint8Array(Buffer.from(content).subarray(from, to)),
      });
    const [own, foreign] = [await put("own"), await put("of no run")];
    const { body: run } = await api.request("POST", "runs", { body: { workflow: "held", args: { report: own } } });
    const dispatches = () => other.asked.flatMap((asked) => asked.dispatches).filter(({ runId }) => runId === run.id);
    await until(() => dispatches().length > 0);
    const filesUrl = String(dispatches()[0]?.filesUrl);
    const get = async (path: string): Promise<readonly [number, string]> => {
      const response = await fetch(`${filesUrl}${path}`);
      return [response.status, await response.text()];
    };
    expect(await get(`/${own.sha256}`)).toEqual([200, "own"]);
    expect((await get(`/${foreign.sha256}`))[1]).toContain("unknown_file");
    const token = filesUrl.split("/").at(-1) ?? "";
    // It reports nothing, and an address for reports opens no file.
    const reported = await api.request("POST", `callbacks/${token}`, { key: null, body: { status: "completed" } });
    expect(reported.body.code).toBe("bad_ticket");
    const report = String(dispatches()[0]?.externalCallbackUrl).split("/").at(-1) ?? "";
    const misused = await api.request("GET", `attempt-files/${report}/${own.sha256}`, { key: null });
    expect([misused.status, misused.body.code]).toEqual([401, "bad_ticket"]);
    const begun = await api.request("POST", `attempt-files/${token}/uploads`, {
      key: null,
      body: { name: "../x", size: 1 },
    });
    expect(begun.body.code).toBe("bad_file_name");
    const mine = await api.request("POST", "files/uploads", { body: { name: "x", size: 1 } });
    const stolen = await api.request("PUT", `attempt-files/${token}/uploads/${mine.body.id}/parts/1`, {
      key: null,
      body: "x",
    });
    expect(stolen.body.code).toBe("unknown_upload");
    await api.request("POST", `runs/${run.id}/cancel`, { body: {} });
    await api.settle(run.id);
    expect((await get(`/${own.sha256}`))[1]).toContain("ticket_expired");
  });
});
