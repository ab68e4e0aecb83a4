import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, type Api, createApi, HELLO, ORG } from "../../test/api/fixture.ts";
import { callSluice } from "../../test/cli/terminal.ts";
import { AuditTrail, createSigner } from "../audit/index.ts";
import { auditEntry } from "../core/audit/index.ts";
import { serve, type Served } from "../server/index.ts";
import { createMemoryStore } from "../store/index.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-cli-audit-"));
const SEED = "0f".repeat(32);
const KEY = createSigner(SEED).key;
const at = (name: string): string => join(folder, name);
let api: Api;
let served: Served;

const sluice = (argv: readonly string[], { input, url = served.url }: { input?: string; url?: string } = {}) =>
  callSluice(argv, {
    cwd: folder,
    env: { SLUICE_URL: url, SLUICE_KEY: ADMIN },
    ...(input === undefined ? {} : { input }),
  });

/** An export of three sealed records, and the checkpoint of the first two kept beside it. */
async function writeExport(): Promise<void> {
  let now = 1_700_000_000_000;
  const store = createMemoryStore();
  const trail = new AuditTrail({ store, now: () => now, seed: SEED, checkpointFile: at("checkpoints.ndjson") });
  const append = (count: number): Promise<void> => {
    const entry = auditEntry({ at: now, type: "key.created", actor: "ann", resource: "key/1", detail: {} });
    return store.appendAudit(
      "org_1",
      Array.from({ length: count }, () => entry),
    );
  };
  await append(2);
  await trail.catchUp("org_1");
  now += 60_000;
  await trail.catchUp("org_1");
  await append(1);
  await trail.catchUp("org_1");
  let text = "";
  for await (const piece of trail.export("org_1")) text += piece;
  writeFileSync(at("good.ndjson"), text);
  const lines = text.split("\n");
  writeFileSync(at("edited.ndjson"), text.replace('"seq":2', '"seq":9'));
  writeFileSync(at("missing.ndjson"), lines.toSpliced(2, 1).join("\n"));
  writeFileSync(at("cut.ndjson"), lines.slice(0, 4).join("\n"));
  writeFileSync(at("empty.ndjson"), "");
}

beforeAll(async () => {
  await writeExport();
  api = await createApi();
  served = await serve({ app: api.app, port: 0, host: "127.0.0.1" });
});
afterAll(async () => {
  await served.close(0);
  await api.close();
  rmSync(folder, { recursive: true });
});

describe("sluice audit verify", () => {
  it("passes what is whole, and prints whose signature it is", async () => {
    expect(await sluice(["audit", "verify", "good.ndjson"])).toEqual({
      code: 0,
      out: "ok: 3 records of org_1, 1 checkpoint\n",
      err: `signed with ${KEY}\n  hint: compare it with the key of the installation, or give that one as --key\n`,
    });
    const pinned = await sluice([
      "audit",
      "verify",
      "good.ndjson",
      "--key",
      KEY,
      "--checkpoints",
      "checkpoints.ndjson",
    ]);
    expect(pinned).toEqual({ code: 0, out: "ok: 3 records of org_1, 1 checkpoint\n", err: "" });
    expect(await sluice(["audit", "verify", "good.ndjson", "--quiet"])).toEqual({ code: 0, out: "", err: "" });
    const input = readFileSync(at("good.ndjson"), "utf8");
    expect(await sluice(["audit", "verify", "-", "--key", KEY], { input })).toMatchObject({ code: 0 });
  });

  it("names the first bad record, and why", async () => {
    const edited = await sluice(["audit", "verify", "edited.ndjson"]);
    expect(edited).toEqual({
      code: 1,
      out: "",
      err: "edited.ndjson:3: record 2: it is missing: record 9 stands in its place\n  1 record before it is good\n",
    });
    const missing = await sluice(["audit", "verify", "missing.ndjson"]);
    expect([missing.code, missing.err]).toEqual([
      1,
      expect.stringContaining("missing.ndjson:3: record 2: it is missing"),
    ]);
    const cut = await sluice(["audit", "verify", "cut.ndjson", "--json"]);
    expect(cut.code).toBe(1);
    expect(JSON.parse(cut.out)).toMatchObject({
      file: "cut.ndjson",
      ok: false,
      records: 2,
      firstBad: { line: 4, seq: 3 },
    });
    const empty = await sluice(["audit", "verify", "empty.ndjson"]);
    expect([empty.code, empty.err]).toEqual([1, expect.stringContaining("empty.ndjson:1: header: the export is cut")]);
    const other = createSigner("10".repeat(32)).key;
    const stranger = await sluice(["audit", "verify", "good.ndjson", "--key", other]);
    expect([stranger.code, stranger.err]).toEqual([1, expect.stringContaining("not with the key that was asked for")]);
  });

  it("reports what it cannot do at all", async () => {
    const none = await sluice(["audit", "verify", "none.ndjson"]);
    expect([none.code, none.err]).toEqual([2, "sluice: cannot read none.ndjson: there is no such file\n"]);
    const key = await sluice(["audit", "verify", "good.ndjson", "--key", "slk_secret"]);
    expect([key.code, key.err]).toEqual([2, expect.stringContaining("this is no public key")]);
    const checkpoints = await sluice(["audit", "verify", "good.ndjson", "--checkpoints", "good.ndjson"]);
    expect([checkpoints.code, checkpoints.err]).toEqual([2, expect.stringContaining("this is no signed checkpoint")]);
  });
});

describe("taking the log away", () => {
  it("exports what verifies", async () => {
    const entry = auditEntry({ at: 1, type: "auth.failed", actor: "eve", resource: "key/1", detail: {} });
    await api.store.appendAudit(ORG, [entry]);
    expect(await sluice(["audit", "export", "-o", "out.ndjson"])).toEqual({
      code: 0,
      out: "",
      err: "written to out.ndjson\n",
    });
    expect(await sluice(["audit", "verify", "out.ndjson"])).toMatchObject({ code: 0 });
    const { out } = await sluice(["audit", "export"]);
    expect(await sluice(["audit", "verify", "-"], { input: out })).toMatchObject({ code: 0 });
  });

  it("saves the packet of a run", async () => {
    await api.save(HELLO);
    const runId = await api.run("hello", { who: "ann" });
    expect(await sluice(["runs", "packet", runId, "-o", "packet.json", "--quiet"])).toEqual({
      code: 0,
      out: "",
      err: "",
    });
    const packet = JSON.parse(readFileSync(at("packet.json"), "utf8"));
    expect(packet).toMatchObject({ format: "sluice-packet/1", run: { id: runId, status: "completed" } });
    const none = await sluice(["runs", "packet", "run_none"]);
    expect([none.code, none.out, none.err]).toEqual([2, "", expect.stringContaining("unknown_run")]);
  });

  it("leaves no half file behind", async () => {
    const nowhere = await sluice(["audit", "export", "-o", "no/such/folder.ndjson"]);
    expect([nowhere.code, nowhere.err]).toEqual([2, expect.stringContaining("cannot write no/such/folder.ndjson")]);
    const cutting = createServer((_, response) => {
      response.writeHead(200, { "content-type": "application/x-ndjson", "content-length": "100" });
      response.write('{"kind"', () => response.destroy());
    });
    await new Promise<void>((resolve) => cutting.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(cutting.address() as AddressInfo).port}`;
    const cut = await sluice(["audit", "export", "-o", "half.ndjson"], { url });
    cutting.close();
    expect([cut.code, cut.err]).toEqual([5, expect.stringContaining("the connection was cut")]);
    expect([existsSync(at("half.ndjson")), existsSync(at("half.ndjson.part"))]).toEqual([false, false]);
  });
});
