import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSystemClock } from "../../src/clock/index.ts";
import { Retainer } from "../../src/history/index.ts";
import { type Api, createApi, GATED, HELLO, ORG } from "../api/fixture.ts";
import { type OpenedStore, openStore, STORES } from "./support/history-stores.ts";

const DAY_MS = 86_400_000;
const FAMILY = `name: family
args:
  paper: { type: file }
steps:
  - { id: child, workflow_ref: hello, with: { who: Ann } }
  - { id: decide, approval: required, depends_on: [child] }
`;

describe.each(Object.keys(STORES))("the history of runs on %s", (kind) => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-history-"));
  let opened: OpenedStore;
  let api: Api;
  const troubles: string[] = [];
  const clock = createSystemClock();
  let aheadMs = 0;
  const retainer = (): Retainer =>
    new Retainer({
      store: api.store,
      archiver: api.history.archiver,
      clock: { ...clock, now: () => clock.now() + aheadMs, after: (ms, work) => clock.after(ms, work) },
      onTrouble: (what, error) => troubles.push(`${what}: ${String(error)}`),
    });
  /** As if so many days had passed. */
  const after = async (days: number): Promise<void> => {
    await api.audit.catchUp(ORG);
    aheadMs = days * DAY_MS;
    await retainer().round();
    aheadMs = 0;
  };
  const statusOf = async (runId: string): Promise<number> => (await api.ask("GET", `runs/${runId}`)).status;

  beforeAll(async () => {
    opened = await openStore(kind, folder);
    api = await createApi({}, undefined, { store: opened.store, archives: folder });
    for (const source of [HELLO, GATED, FAMILY]) await api.save(source);
  });
  afterAll(async () => {
    await api.close();
    await opened.close();
    rmSync(folder, { recursive: true });
  });

  const answered = async (paper: object): Promise<string> => {
    const runId = await api.run("family", { paper });
    const { data } = (await api.request("GET", "approvals?status=pending")).body;
    const { id } = data.find((approval: { runId: string }) => approval.runId === runId);
    await api.request("POST", `approvals/${id}/comments`, { body: { text: "looks fine to me" } });
    await api.request("POST", `approvals/${id}/resolve`, { body: { decision: "approve", reason: "well written" } });
    expect(await api.settle(runId)).toBe("completed");
    return runId;
  };
  const sentFile = async (text: string): Promise<object> => {
    const body = new TextEncoder().encode(text);
    const headers = { "content-type": "text/plain", "content-length": String(body.byteLength) };
    return (await api.request("POST", "files?name=paper.txt", { body, headers })).body;
  };

  it("keeps runs for 90 days and verdicts and transcripts for 30, and open runs for ever", async () => {
    const ended = await api.run("hello", { who: "Ann" });
    const open = await api.run("gated");
    const verdicts = async (runId: string): Promise<number> =>
      (await api.request("GET", `runs/${runId}/verdicts`)).body.data.length;
    await after(29.9);
    expect([await verdicts(ended), await verdicts(open)]).toEqual([2, 1]);
    await after(30.1);
    expect([await verdicts(ended), await verdicts(open)]).toEqual([0, 1]);
    await after(89.9);
    expect(await statusOf(ended)).toBe(200);
    await after(90.1);
    expect([await statusOf(ended), await statusOf(open)]).toEqual([404, 200]);
    const { data } = (await api.request("GET", `audit?run=${ended}&type=run.deleted`)).body;
    expect(data).toMatchObject([{ actor: "sluice", detail: { workflow: "hello", runs: 1, cause: "retention" } }]);
    expect(troubles).toEqual([]);
  });

  it("follows the retention of the workflow, then that of the organisation", async () => {
    await api.request("PUT", "retentions/all", { body: { runs: "forever" } });
    await api.request("PUT", "retentions/greetings", { body: { workflow: "hello", runs: "1d" } });
    const hello = await api.run("hello", { who: "Ann" });
    const other = await answered(await sentFile("a page"));
    await after(2);
    expect([await statusOf(hello), await statusOf(other)]).toEqual([404, 200]);
    await after(20_000);
    expect(await statusOf(other)).toBe(200);
    for (const id of ["all", "greetings"]) await api.ask("DELETE", `retentions/${id}`);
    await api.ask("DELETE", `runs/${other}`);
  });

  it("archives a family before it is deleted, and takes it back as it was", async () => {
    const paper = await sentFile(`the paper itself, on ${kind}`);
    const runId = await answered(paper);
    const paths = ["", "/state", "/events", "/verdicts"].map((path) => `runs/${runId}${path}`);
    const look = (): Promise<unknown[]> =>
      Promise.all(
        paths.map(async (path) => {
          const { body } = await api.request("GET", path);
          return body;
        }),
      );
    const before = await look();
    const { data } = (await api.request("GET", "approvals?status=approved")).body;
    const { id: approvalId } = data.find((one: { runId: string }) => one.runId === runId);
    const comments = (await api.request("GET", `approvals/${approvalId}/comments`)).body;
    const approval = (await api.request("GET", `approvals/${approvalId}`)).body;
    expect(comments.data).toMatchObject([{ text: "looks fine to me" }]);
    await api.request("PUT", "retentions/all", { body: { runs: "1d", verdicts: "1d", archive: "packets" } });
    await after(2);
    await api.ask("DELETE", "retentions/all");
    expect(troubles).toEqual([]);
    expect(await statusOf(runId)).toBe(404);
    const name = `${runId}.packet.gz`;
    expect(readdirSync(join(folder, "packets"))).toEqual([name]);
    expect(await api.store.getArchive(ORG, runId)).toMatchObject({ place: "packets", name, workflow: "family" });
    const packet = readFileSync(join(folder, "packets", name));
    const headers = { "content-type": "application/gzip" };
    const imported = await api.request("POST", "runs/import", { body: Uint8Array.from(packet), headers });
    expect([imported.status, imported.body.id]).toEqual([201, runId]);
    expect(await look()).toEqual(before);
    expect((await api.request("GET", `approvals/${approvalId}`)).body).toEqual(approval);
    expect((await api.request("GET", `approvals/${approvalId}/comments`)).body).toEqual(comments);
    const again = await api.request("POST", "runs/import", { body: Uint8Array.from(packet), headers });
    expect([again.status, again.body.code]).toEqual([409, "run_exists"]);
    const file = (paper as { sha256: string }).sha256;
    expect(await (await api.ask("GET", `files/${file}`)).text()).toBe(`the paper itself, on ${kind}`);
    expect((await api.request("GET", `audit?run=${runId}&type=run.imported`)).body.data).toHaveLength(1);
    expect((await api.request("GET", "audit/verify")).body.ok).toBe(true);
    // Its time begins anew.
    await after(89);
    expect(await statusOf(runId)).toBe(200);
    await after(91);
    expect(await statusOf(runId)).toBe(404);
  });

  it("deletes nothing that cannot be archived", async () => {
    const runId = await api.run("hello", { who: "Ann" });
    for (const archive of ["s3", "../elsewhere", "/somewhere"]) {
      await api.request("PUT", "retentions/all", { body: { runs: "1d", archive } });
      await after(2);
      expect(await statusOf(runId)).toBe(200);
    }
    expect(troubles.splice(0).join("\n")).toMatch(/SLUICE_FILES_S3_URL[^]*--archives[^]*--archives/);
    await api.ask("DELETE", "retentions/all");
  });

  it("keeps a family that cannot be archived, and deletes the others", async () => {
    const broken = await answered(await sentFile(`a page that is lost, on ${kind}`));
    const other = await api.run("hello", { who: "Ann" });
    rmSync(join(folder, "objects"), { recursive: true });
    await api.request("PUT", "retentions/all", { body: { runs: "1d", archive: "packets" } });
    await after(2);
    await api.ask("DELETE", "retentions/all");
    expect([await statusOf(broken), await statusOf(other)]).toEqual([200, 404]);
    expect(troubles.splice(0).join("\n")).toContain(`archiving ${broken}`);
    expect((await api.ask("DELETE", `runs/${broken}`)).status).toBe(204);
  });

  it("takes back only what it has signed, and all of it", async () => {
    const runId = await api.run("hello", { who: "Ann" });
    const family = await api.store.familyOf(ORG, runId);
    await api.history.archiver.archive(ORG, { runId, workflow: "hello" }, family, "signed");
    const path = join(folder, "signed", `${runId}.packet.gz`);
    const lines = gunzipSync(readFileSync(path)).toString().split("\n");
    await api.ask("DELETE", `runs/${runId}`);
    const sent = async (changed: string | Buffer): Promise<string> => {
      const bytes = typeof changed === "string" ? gzipSync(changed) : changed;
      return (await api.request("POST", "runs/import", { body: Uint8Array.from(bytes) })).body.code;
    };
    expect(await sent(lines.join("\n").replace('"who":"Ann"', '"who":"Eve"'))).toBe("packet_invalid");
    expect(await sent([...lines.slice(0, 3), ...lines.slice(4)].join("\n"))).toBe("packet_invalid");
    expect(await sent(lines.slice(0, -2).join("\n"))).toBe("packet_invalid");
    expect(await sent(readFileSync(path).subarray(0, -20))).toBe("packet_invalid");
    expect(await sent(Buffer.from("{}"))).toBe("packet_invalid");
    expect(await sent(Buffer.alloc(0))).toBe("packet_invalid");
    const key = /"key":"(ed25519:[^"]+)"/.exec(lines.at(-2) ?? "")?.[1] ?? "";
    expect(await sent(lines.join("\n").replace(key, key.replace(/.{3}$/, "AAA")))).toBe("packet_unsigned");
    writeFileSync(join(folder, "copy"), readFileSync(path));
    expect(await statusOf(runId)).toBe(404);
    expect((await api.request("POST", "runs/import", { body: Uint8Array.from(readFileSync(path)) })).status).toBe(201);
  });
});
