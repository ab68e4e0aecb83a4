import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi, GATED, HELLO, ORG, STRANGER } from "../../../test/api/fixture.ts";
import { verifyAudit } from "../../audit/index.ts";
import { auditEntry, type AuditRecord, type AuditType } from "../../core/audit/index.ts";

let api: Api;
beforeAll(async () => {
  api = await createApi();
  await api.save(HELLO);
  await api.save(GATED);
});
afterAll(() => api.close());

const request = (type: AuditType, run?: string): Promise<void> =>
  api.store.appendAudit(ORG, [
    auditEntry({
      at: 1_000,
      type,
      actor: "ann",
      resource: "key/key_1",
      detail: {},
      ...(run === undefined ? {} : { run }),
    }),
  ]);

async function* pieces(text: string): AsyncGenerator<string> {
  yield text;
}

describe("the audit log", () => {
  it("is listed at once, newest first, filtered and page by page", async () => {
    for (const type of ["key.created", "policy.changed", "key.revoked"] as const) await request(type, "run_x");
    await request("budget.alert");
    const { body } = await api.request("GET", "audit?run=run_x&limit=2");
    expect(body.data.map(({ type }: AuditRecord) => type)).toEqual(["key.revoked", "policy.changed"]);
    const rest = await api.request("GET", `audit?run=run_x&limit=2&cursor=${body.nextCursor}`);
    expect(rest.body.data).toMatchObject([
      { type: "key.created", category: "security", actor: "ann", at: "1970-01-01T00:00:01.000Z", org: ORG },
    ]);
    expect(rest.body.nextCursor).toBeUndefined();
    const found = await api.request("GET", "audit?category=governance&type=budget.alert");
    expect(found.body.data.map(({ type }: AuditRecord) => type)).toEqual(["budget.alert"]);
    for (const query of ["type=node.exploded", "category=gossip", "limit=0", "limit=101", "run=%00"]) {
      expect((await api.request("GET", `audit?${query}`)).status).toBe(422);
    }
    expect((await api.request("GET", "audit?cursor=nonsense")).body.code).toBe("bad_cursor");
  });

  it("is of one organisation", async () => {
    await request("key.created");
    expect((await api.request("GET", "audit", { key: STRANGER })).body).toEqual({ data: [] });
    const verified = await api.request("GET", "audit/verify", { key: STRANGER });
    expect(verified.body).toMatchObject({ ok: true, records: 0 });
  });

  it("is exported so that it can be verified elsewhere", async () => {
    await request("auth.failed");
    const { status, headers, body } = await api.request("GET", "audit/export");
    expect([status, headers.get("content-type")]).toEqual([200, "application/x-ndjson; charset=utf-8"]);
    const text = String(body);
    const { lastSeq, key } = (await api.request("GET", "audit/verify")).body;
    const result = await verifyAudit(pieces(text), { key });
    expect(result).toMatchObject({ ok: true, org: ORG, lastSeq });
    const listed = (await api.request("GET", "audit?limit=1")).body.data[0];
    expect(text.split("\n").at(-3)).toContain(`"hash":"${listed.hash}"`);
  });

  it("shows in the figures of the process how far it is sealed", async () => {
    await request("key.created");
    await api.request("GET", "audit/verify");
    const { body } = await api.request("GET", "/metrics");
    const figure = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(body)?.[1]);
    expect(figure("sluice_audit_sealed_records_total")).toBeGreaterThan(0);
    expect(figure("sluice_audit_checkpoints_total")).toBeGreaterThanOrEqual(0);
    expect(figure("sluice_audit_sealing_lag_seconds")).toBeGreaterThanOrEqual(0);
    expect(figure("sluice_counters_corrected_total")).toBe(0);
    expect(figure("sluice_unexplained_envelopes")).toBe(0);
    expect(figure("sluice_waiting_nodes")).toBe(0);
  });

  it("is verified as it is kept, and what is wrong is named", async () => {
    await request("key.created");
    const good = await api.request("GET", "audit/verify");
    expect(good.body).toEqual({
      ok: true,
      records: good.body.lastSeq,
      checkpoints: 0,
      lastSeq: good.body.lastSeq,
      key: expect.stringMatching(/^ed25519:/),
      sealedSeq: good.body.lastSeq,
      checkpointSeq: 0,
    });
    const readSegment = api.store.readSegment.bind(api.store);
    Object.assign(api.store, {
      readSegment: async (...asked: Parameters<typeof readSegment>) => {
        const read = await readSegment(...asked);
        return read === null ? null : { ...read, lines: read.lines.toSpliced(1, 1) };
      },
    });
    const { body } = await api.request("GET", "audit/verify");
    Object.assign(api.store, { readSegment });
    expect(body).toMatchObject({ ok: false, records: 1, firstBad: { what: "record", seq: 2, line: 3 } });
  });
});

describe("the packet of a run", () => {
  it("holds the run, its records, verdicts, approvals, costs and events", async () => {
    const runId = await api.run("gated");
    await request("run.started", runId);
    await request("gate.held", runId);
    const { status, headers, body } = await api.request("GET", `runs/${runId}/packet`);
    expect([status, headers.get("content-disposition")]).toEqual([200, `attachment; filename="${runId}.json"`]);
    expect(body).toMatchObject({ format: "sluice-packet/1", run: { id: runId, workflow: "gated" } });
    const replied = body.records.filter(({ actor }: AuditRecord) => actor === "ann");
    expect(replied.map(({ type }: AuditRecord) => type)).toEqual(["run.started", "gate.held"]);
    const state = (await api.request("GET", `runs/${runId}/state`)).body;
    expect(body.events.map(({ eventId }: { eventId: number }) => eventId)).toEqual(
      Array.from({ length: state.lastEventId }, (_, index) => index + 1),
    );
    expect(body.approvals).toMatchObject([{ runId, nodeId: "decide", status: "pending" }]);
    expect(Array.isArray(body.verdicts) && Array.isArray(body.costs)).toBe(true);
  });

  it("shows nothing that looks like a secret", async () => {
    const secret = "ghp_0123456789abcdefghijABCDEFGHIJ0123456789";
    const runId = await api.run("hello", { who: secret });
    const { body } = await api.request("GET", `runs/${runId}/packet`);
    expect(JSON.stringify(body)).not.toContain(secret);
    expect(body.run.args).toMatchObject({ who: "[hidden: a GitHub token]" });
  });

  it("is of a run of one's own organisation", async () => {
    const runId = await api.run("hello", { who: "ann" });
    expect((await api.request("GET", `runs/${runId}/packet`, { key: STRANGER })).body.code).toBe("unknown_run");
    expect((await api.request("GET", "runs/run_none/packet")).status).toBe(404);
    const reader = await api.key(["run:read"]);
    expect((await api.request("GET", `runs/${runId}/packet`, { key: reader })).status).toBe(403);
  });

  it("meets no surprise on the way", () => {
    expect(api.troubles).toEqual([]);
  });
});
