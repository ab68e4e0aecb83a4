import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditEntry, linkRecord } from "../../src/core/audit/index.ts";
import { verifyPacket } from "../../src/history/index.ts";
import { type Api, createApi, HELLO, ORG } from "../api/fixture.ts";
import { type OpenedStore, openStore, STORES, tablesWith } from "./support/history-stores.ts";

/** Occurs in nothing but what is about one person. */
const NAME = "Zebulon Quartz";

const LETTERS = `name: letters
labels: { customer: "\${customer}" }
args:
  customer: { type: string, required: true }
  story: { type: string }
  paper: { type: file }
steps:
  - { id: draft, command: "Write to \${customer}", agent: ada }
  - { id: long, command: "Write at length to \${customer}" }
  - { id: child, workflow_ref: hello, with: { who: "\${customer}" } }
  - { id: notify, emit: { type: letter.written, key: { customer: "\${customer}" }, data: { to: "\${customer}" } } }
  - { id: decide, name: "Send it to \${customer}?", approval: required, depends_on: [draft, long, child, notify] }
`;

/** Every file below a folder, unpacked where it is packed. */
function filesWith(folder: string, wanted: string): readonly string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => !name.startsWith("database"))
    .filter((name) => statSync(join(folder, name)).isFile())
    .filter((name) => {
      const bytes = readFileSync(join(folder, name));
      return (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).includes(wanted);
    });
}

async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  yield readFileSync(path);
}

describe.each(Object.keys(STORES))("erasure on %s", (kind) => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-erasure-"));
  const packet = (runId: string): string => join(folder, "packets", `${runId}.packet.gz`);
  let opened: OpenedStore;
  let api: Api;
  const runs = { erased: "", archived: "", other: "", open: "" };
  let started = 0;

  const letter = async (customer: string): Promise<string> => {
    const body = new TextEncoder().encode(`A letter to ${customer}, on paper`);
    const headers = { "content-type": "text/plain", "content-length": String(body.byteLength) };
    const paper = (await api.request("POST", "files?name=letter.txt", { body, headers })).body;
    started += 1;
    const args = { customer, paper, story: `${customer} `.repeat(6_000) };
    const key = { "idempotency-key": `letter ${started} to ${customer}` };
    const { id } = (await api.request("POST", "runs", { body: { workflow: "letters", args }, headers: key })).body;
    await api.settle(id);
    return id;
  };
  const approvalOf = async (runId: string | null): Promise<string> => {
    const { data } = (await api.request("GET", "approvals?status=pending")).body;
    return data.find((approval: { runId: string | null }) => approval.runId === runId).id;
  };
  const answer = async (runId: string, customer: string): Promise<void> => {
    const id = await approvalOf(runId);
    await api.request("POST", `approvals/${id}/comments`, { body: { text: `I know ${customer}` } });
    const reason = `${customer} asked for it`;
    const { status } = await api.request("POST", `approvals/${id}/resolve`, { body: { decision: "approve", reason } });
    expect(status).toBe(200);
    expect(await api.settle(runId)).toBe("completed");
  };

  beforeAll(async () => {
    opened = await openStore(kind, folder);
    api = await createApi({}, undefined, { store: opened.store, archives: folder });
    await api.request("PUT", "agents/ada", { body: { memory_profile: { name: "log", entries: 5 } } });
    for (const source of [HELLO, LETTERS]) await api.save(source);
    runs.erased = await letter(NAME);
    await answer(runs.erased, NAME);
    runs.archived = await letter(NAME);
    await answer(runs.archived, NAME);
    const family = await api.store.familyOf(ORG, runs.archived);
    await api.history.archiver.archive(ORG, { runId: runs.archived, workflow: "letters" }, family, "packets");
    expect((await api.ask("DELETE", `runs/${runs.archived}`)).status).toBe(204);
    runs.other = await letter("Ann Other");
    await answer(runs.other, "Ann Other");
    runs.open = await letter("Slow Person");
    for (const runId of [runs.erased, runs.other]) {
      const about = { orgId: ORG, targetId: "ops", type: "run.completed", recipient: null, groupKey: null, delayMs: 0 };
      const body = JSON.stringify({ text: runId === runs.erased ? NAME : "Ann Other" });
      await api.store.addDeliveries([{ ...about, id: `msg_${runId}`, body, runId }]);
    }
    for (const [index, runId] of [runs.erased, runs.archived].entries()) {
      const key = { orgId: ORG, triggerId: "trigger/orders", deliveryId: `order ${index} of ${NAME}` };
      await api.store.recordDelivery(key, { state: "started", runId, code: null, reason: null });
    }
  });
  afterAll(async () => {
    await api.close();
    await opened.close();
    rmSync(folder, { recursive: true });
  });

  const subject = `args.customer == "${NAME}"`;
  const erase = async (more: object = {}) =>
    (await api.request("POST", "erasures", { body: { subject, ...more } })).body;

  it("finds the person everywhere before, and says what it would do without doing it", async () => {
    expect(filesWith(folder, NAME).length).toBeGreaterThan(1);
    await api.store.indexRuns(1_000);
    if (opened.sql !== null) {
      expect(await tablesWith(opened.sql, "zebulon")).toEqual(["approvals", "run_words"]);
      expect(await tablesWith(opened.sql, NAME)).toEqual(
        expect.arrayContaining([
          "agent_memories",
          "approvals",
          "approval_comments",
          "blobs",
          "event_blocks",
          "idempotency_keys",
          "run_facets",
          "runs",
          "trigger_deliveries",
        ]),
      );
    }
    const report = await erase({ dryRun: true });
    expect(report).toMatchObject({ dryRun: true, already: [], open: [], undecided: [], sealed: [] });
    expect(report.runs).toContain(runs.erased);
    expect(report.runs).toHaveLength(2);
    expect(report.archives).toEqual([runs.archived]);
    expect((await api.request("GET", `runs/${runs.erased}`)).body.args.customer).toBe(NAME);
  });

  it("leaves no text of the person in the database, the files and the archives", async () => {
    const report = await erase();
    expect(report.runs).toHaveLength(2);
    expect(report.archives).toEqual([runs.archived]);
    expect(report.outOfReach.join()).toContain("telemetry");
    await api.audit.catchUp(ORG);
    await api.store.indexRuns(1_000);
    for (const text of [NAME, "zebulon", "Quartz", "quartz"]) {
      if (opened.sql !== null) expect(await tablesWith(opened.sql, text)).toEqual([]);
    }
    // Records of the audit are packed, and looked into.
    if (opened.sql !== null) expect(await tablesWith(opened.sql, "run.erased")).toContain("audit_open");
    expect(filesWith(folder, NAME)).toEqual([]);
    const { body } = await api.request("GET", `runs/${runs.erased}/events`);
    expect(JSON.stringify(body)).not.toContain(NAME);
  });

  it("leaves nothing in the memory of agents, so that no later run receives anything of the person", async () => {
    const later = await letter("Late Comer");
    const { body } = await api.request("GET", `runs/${later}/events`);
    expect(JSON.stringify(body)).toContain("memory log of ada");
    expect(JSON.stringify(body)).not.toContain(NAME);
  });

  it("leaves tombstones with hashes, and a run that can still be looked at", async () => {
    const run = (await api.request("GET", `runs/${runs.erased}`)).body;
    expect(run.args.customer).toMatch(/^\[erased sha256:[0-9a-f]{64}\]$/);
    expect(run.status).toBe("completed");
    expect(run.erased).toMatchObject({ sha256: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
    const state = (await api.request("GET", `runs/${runs.erased}/state`)).body;
    expect(state.nodeResults.map(({ status }: { status: string }) => status)).toEqual(Array(5).fill("completed"));
    const packetOf = (await api.request("GET", `runs/${runs.erased}/packet`)).body;
    expect(packetOf.erased).toEqual(run.erased);
    for (const action of ["restart", "recover"]) {
      const { status, body } = await api.request("POST", `runs/${runs.erased}/${action}`);
      expect([action, status, body.code]).toEqual([action, 409, "run_erased"]);
    }
  });

  it("leaves the audit whole, with what was erased, by whom and when", async () => {
    expect((await api.request("GET", "audit/verify")).body.ok).toBe(true);
    const { data } = (await api.request("GET", `audit?run=${runs.erased}`)).body;
    expect(data[0]).toMatchObject({
      type: "run.erased",
      category: "governance",
      detail: { sha256: expect.any(String) },
    });
    const resolved = data.find(({ type }: { type: string }) => type === "approval.resolved");
    expect(resolved.detail.reason).toMatch(/^hmac-sha256:[0-9a-f]{64}$/);
    expect(resolved.reason).toBeUndefined();
    const others = (await api.request("GET", `audit?run=${runs.other}&type=approval.resolved`)).body.data;
    expect(others[0].reason).toBe("Ann Other asked for it");
  });

  it("signs archives again, which say what was taken out and can still be taken back", async () => {
    const { header } = await verifyPacket(bytesOf(packet(runs.archived)), (...signed) => api.audit.isSigned(...signed));
    expect(header.erased).toMatchObject([{ run: runs.archived, sha256: expect.stringMatching(/^sha256:/) }]);
    const body = Uint8Array.from(readFileSync(packet(runs.archived)));
    expect((await api.request("POST", "runs/import", { body })).status).toBe(201);
    const { body: run } = await api.request("GET", `runs/${runs.archived}`);
    expect(run.args.customer).toContain("[erased");
    expect(run.erased).toMatchObject({ sha256: header.erased?.[0]?.sha256, by: header.erased?.[0]?.by });
    const restart = await api.request("POST", `runs/${runs.archived}/restart`);
    expect([restart.status, restart.body.code]).toEqual([409, "run_erased"]);
    expect(await erase()).toMatchObject({ runs: [], archives: [] });
  });

  it("is known of a run that is archived after it, and still known when that is taken back", async () => {
    const before = (await api.request("GET", `runs/${runs.erased}`)).body.erased;
    const family = await api.store.familyOf(ORG, runs.erased);
    await api.history.archiver.archive(ORG, { runId: runs.erased, workflow: "letters" }, family, "packets");
    expect((await api.ask("DELETE", `runs/${runs.erased}`)).status).toBe(204);
    const { header } = await verifyPacket(bytesOf(packet(runs.erased)), (...signed) => api.audit.isSigned(...signed));
    expect(header.erased?.map(({ run }) => run)).toEqual(family.map(({ runId }) => runId));
    const body = Uint8Array.from(readFileSync(packet(runs.erased)));
    expect((await api.request("POST", "runs/import", { body })).status).toBe(201);
    expect((await api.request("GET", `runs/${runs.erased}`)).body.erased).toEqual(before);
  });

  it("reaches a run that was branched from one of which only the archive is left", async () => {
    await api.save(`name: notes
args: { topic: { type: string } }
steps:
  - { id: head, command: "A head" }
  - { id: text, command: "A text about \${topic}", depends_on: [head] }
`);
    const first = await api.run("notes", { topic: "An illness" });
    const { lastEventId: eventId } = (await api.request("GET", `runs/${first}`)).body;
    const changed = { eventId, args: { topic: "Cats" } };
    const branch = await api.request("POST", `runs/${first}/branch`, { body: changed });
    expect([branch.status, await api.settle(branch.body.id)]).toEqual([201, "completed"]);
    const family = await api.store.familyOf(ORG, first);
    await api.history.archiver.archive(ORG, { runId: first, workflow: "notes" }, family, "packets");
    expect((await api.ask("DELETE", `runs/${first}`)).status).toBe(204);
    const { body } = await api.request("POST", "erasures", { body: { subject: 'args.topic == "An illness"' } });
    expect(body).toMatchObject({ runs: [branch.body.id], archives: [first], undecided: [] });
  });

  it("names an archive that cannot be read, and erases the rest", async () => {
    const [lost, there] = [await api.run("hello", { who: "Lost One" }), await api.run("hello", { who: "Lost One" })];
    const family = await api.store.familyOf(ORG, lost);
    await api.history.archiver.archive(ORG, { runId: lost, workflow: "hello" }, family, "packets");
    expect((await api.ask("DELETE", `runs/${lost}`)).status).toBe(204);
    rmSync(packet(lost));
    const { body } = await api.request("POST", "erasures", { body: { subject: 'args.who == "Lost One"' } });
    expect(body).toMatchObject({ runs: [there], undecided: [lost] });
  });

  it("leaves runs that have not ended, and names them", async () => {
    const { body } = await api.request("POST", "erasures", { body: { subject: 'args.customer == "Slow Person"' } });
    expect(body.open).toEqual([runs.open]);
    expect((await api.request("GET", `runs/${runs.open}`)).body.args.customer).toBe("Slow Person");
  });

  it("touches no other run, and nothing twice", async () => {
    const run = (await api.request("GET", `runs/${runs.other}`)).body;
    expect(run).toMatchObject({ args: { customer: "Ann Other" } });
    expect(run.erased).toBeUndefined();
    const file = await api.ask("GET", `files/${run.args.paper.sha256}`);
    expect(await file.text()).toBe("A letter to Ann Other, on paper");
    const { data } = await api.store.listDeliveries(ORG, "ops", { limit: 10, cursor: null });
    expect(data.map(({ id }) => id)).toEqual([`msg_${runs.other}`]);
    const again = await api.request("POST", "erasures", { body: { subject: `run.id == "${runs.erased}"` } });
    expect(again.body).toMatchObject({ runs: [] });
    expect(again.body.already).toHaveLength(2);
  });

  it("lists what was sealed with its text before texts were kept apart", async () => {
    const runId = await api.run("hello", { who: "Old Timer" });
    await api.audit.catchUp(ORG);
    const about = { type: "run.finished", actor: "sluice", resource: `run/${runId}`, run: runId } as const;
    const entry = auditEntry({ at: 1, ...about, detail: { reason: "Old Timer left" } });
    // As an earlier program sealed it.
    await api.store.appendAudit(ORG, [entry]);
    await api.store.seal(ORG, 10, (head) => {
      const seq = head.seq + 1;
      const at = new Date(1).toISOString();
      const { hash, line } = linkRecord({ org: ORG, seq, prevHash: head.hash, at }, entry);
      const record = { seq, at: 1, category: entry.category, type: entry.type, run: runId, line };
      return { head: { ...head, seq, hash }, records: [record], segments: [] };
    });
    const { body } = await api.request("POST", "erasures", { body: { subject: 'args.who == "Old Timer"' } });
    expect(body).toMatchObject({ runs: [runId], sealed: [{ type: "run.finished", run: runId }] });
  });

  it("takes approvals of launches with it, with their comments, and names those that wait for an answer", async () => {
    const who = "Wilma Start";
    const guarded = `name: guarded\nlabels: { person: "\${who}" }\nargs: { who: { type: string } }\nsteps:\n  - { id: a, command: A }\n`;
    await api.save(guarded);
    const condition = "run.workflow == 'guarded'";
    const policy = { category: "run_creation", condition, action: "require_approval", reason: "Ask first" };
    await api.request("PUT", "policies/ask", { body: policy });
    const start = () => api.request("POST", "runs", { body: { workflow: "guarded", args: { who } } });
    expect((await start()).status).toBe(403);
    const approvalId = await approvalOf(null);
    const byLabel = { subject: `labels.person == "${who}"` };
    const byArgs = { subject: `args.who == "${who}"` };
    expect((await api.request("POST", "erasures", { body: byArgs })).body).toMatchObject({ open: [approvalId] });
    await api.request("POST", `approvals/${approvalId}/comments`, { body: { text: `${who} is fine` } });
    const body = { decision: "approve", reason: `${who} may` };
    expect((await api.request("POST", `approvals/${approvalId}/resolve`, { body })).status).toBe(200);
    const { id } = (await start()).body;
    expect(await api.settle(id)).toBe("completed");
    const report = (await api.request("POST", "erasures", { body: byLabel })).body;
    expect(report).toMatchObject({ runs: [id], launches: [approvalId], open: [] });
    await api.audit.catchUp(ORG);
    await api.store.indexRuns(1_000);
    if (opened.sql !== null) expect(await tablesWith(opened.sql, who)).toEqual([]);
    const shown = (await api.request("GET", `approvals/${approvalId}`)).body;
    expect(JSON.stringify(shown)).not.toContain(who);
    expect(JSON.stringify((await api.request("GET", `approvals/${approvalId}/comments`)).body)).not.toContain(who);
    expect((await api.request("GET", "audit/verify")).body.ok).toBe(true);
  });

  it("wants a condition that says whose runs are meant", async () => {
    for (const [written, code] of [
      ["args.customer ==", "bad_expression"],
      ["1 == 1", "unknown_fact"],
      ["customer == 'x'", "unknown_fact"],
      ["run.cost > 1", "unknown_fact"],
    ]) {
      const { status, body } = await api.request("POST", "erasures", { body: { subject: written } });
      expect([written, status, body.problems?.[0]?.code]).toEqual([written, 422, code]);
    }
    const viewer = await api.key("operator");
    expect((await api.request("POST", "erasures", { key: viewer, body: { subject } })).status).toBe(403);
  });
});
