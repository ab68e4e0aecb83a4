import { describe, expect, it } from "vitest";
import { AuditTrail } from "../../src/audit/index.ts";
import { auditEntry, type AuditEntry, type AuditType, GENESIS_HASH } from "../../src/core/audit/index.ts";
import type { AuditSelection, ComputeSeal, Store } from "../../src/store/index.ts";
import { creation, logFrom, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const ORG = "org_1";
const DAY_MS = 86_400_000;
const ALL = { limit: 100, cursor: null };

const entry = (type: AuditType, parts: Partial<AuditEntry> = {}): AuditEntry =>
  auditEntry({
    at: 1_000,
    type,
    actor: "ann \u0000 \ud800 \u{1F600}",
    resource: "key/1",
    detail: { "a \u001e": "\\" },
    ...parts,
  });

const trailOf = (store: Store, now = 5_000): AuditTrail =>
  new AuditTrail({ store, now: () => now, seed: "0e".repeat(32) });

/** Seals and closes at once. */
async function segment(store: Store, entries: readonly AuditEntry[], now: number): Promise<void> {
  await store.appendAudit(ORG, entries);
  await trailOf(store, now).catchUp(ORG);
  await trailOf(store, now + 60_000).catchUp(ORG);
}

/** What happened, chained: sealing, reading and letting go. */
export function auditRules(subjectOf: SubjectOf): void {
  describe("audit", () => {
    it("waits unchained, is sealed in order, and then waits no more", async () => {
      const { store } = subjectOf();
      expect(await store.auditHead(ORG)).toEqual({ seq: 0, hash: GENESIS_HASH, segment: null });
      await store.appendAudit(ORG, []);
      expect(await store.listPendingOrganisations(0, 10)).toEqual([]);
      await store.appendAudit(ORG, [entry("key.created"), entry("key.revoked")]);
      await store.appendAudit("org_2", [entry("auth.failed")]);
      expect(await store.listPendingOrganisations(0, 10)).toEqual([ORG, "org_2"]);
      expect(await store.listPendingOrganisations(0, 1)).toEqual([ORG]);
      expect((await store.listAudit(ORG, {}, ALL)).data).toEqual([]);
      const trail = trailOf(store);
      await trail.catchUp(ORG);
      expect(await store.listPendingOrganisations(0, 10)).toEqual(["org_2"]);
      const { data } = await store.listAudit(ORG, {}, ALL);
      expect(data.map(({ seq, type }) => [seq, type])).toEqual([
        [2, "key.revoked"],
        [1, "key.created"],
      ]);
      expect(data[0]).toMatchObject({
        org: ORG,
        at: "1970-01-01T00:00:01.000Z",
        category: "security",
        actor: "ann \u0000 \ufffd \u{1F600}",
        detail: { "a \u001e": "\\" },
        prevHash: data[1]?.hash,
      });
      expect(await store.auditHead(ORG)).toMatchObject({ seq: 2, hash: data[0]?.hash, segment: { fromSeq: 1 } });
      expect(await trail.verify(ORG)).toMatchObject({ ok: true, records: 2 });
      expect(await store.listAudited("", 10)).toEqual([ORG]);
      expect(await store.listAudited(ORG, 10)).toEqual([]);
    });

    it("is recorded by the commit of a run, or not at all", async () => {
      const { store } = subjectOf();
      const started = entry("run.started", { run: "run_1" });
      const finished = entry("run.finished", { run: "run_1", at: 900 });
      await store.commit([creation("run_1", {}, { audit: [started] })]);
      // A commit that records something and changes nothing in the log is a commit of its own.
      await store.commit([share("run_1", 1, [], { audit: [finished], head: { lastEventId: 2 } })]);
      await store.commit([share("run_1", 2, logFrom(2, 1), { audit: [started, started] })]);
      const late = share("run_1", 1, logFrom(2, 1), { audit: [finished] });
      expect((await store.commit([late])).conflicts).toEqual(["run_1"]);
      await trailOf(store).catchUp(ORG);
      const { data } = await store.listAudit(ORG, { run: "run_1" }, ALL);
      expect(data.map(({ type }) => type).reverse()).toEqual([
        "run.finished",
        "run.started",
        "run.started",
        "run.started",
      ]);
    });

    it("has every record of a commit as the commit gave it", async () => {
      const { store } = subjectOf();
      const ofRun = (type: AuditType, parts: Partial<AuditEntry>): AuditEntry =>
        entry(type, { actor: "sluice", run: "run_1", resource: "run/run_1", ...parts });
      const onNode = (type: AuditType, node: string, parts: Partial<AuditEntry> = {}): AuditEntry =>
        ofRun(type, { node, resource: `node/${node}`, ...parts });
      const detail = { attempt: 1, agentId: "a", verdictId: "vrd_run_1/a/3" };
      const audit = [
        ofRun("run.started", { actor: "key_1" }),
        onNode("node.dispatched", "a", { detail }),
        onNode("node.dispatched", "b", { detail: { ...detail, verdictId: "vrd_run_1/b/4" } }),
        onNode("node.completed", "a", { at: 1_001, detail: { attempt: 1 } }),
        onNode("node.completed", "b", { at: 1_001, detail: { attempt: 1 } }),
        onNode("node.completed", "c", { at: 1_001, detail: { attempt: 1, "run_1 \u001f": "\u001f" } }),
        entry("budget.alert", { run: "run_2", resource: "budget/all" }),
      ];
      await store.commit([creation("run_1", {}, { audit })]);
      await trailOf(store).catchUp(ORG);
      const { data } = await store.listAudit(ORG, {}, ALL);
      const given = audit.map(({ at, ...rest }) => ({ ...rest, at: new Date(at).toISOString() }));
      expect(data.toReversed()).toMatchObject([...given.slice(0, -1), { ...given.at(-1), actor: data[0]?.actor }]);
      expect(await trailOf(store).verify(ORG)).toMatchObject({ ok: true, records: audit.length });
    });

    it("keeps the order in which one run recorded it", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1", {}, { audit: [entry("run.started", { run: "run_1" })] })]);
      for (let version = 1; version <= 11; version += 1) {
        const completed = entry("node.completed", { run: "run_1", node: `n${version}` });
        await store.commit([share("run_1", version, logFrom(version + 1, 1), { audit: [completed] })]);
      }
      await trailOf(store).catchUp(ORG);
      const { data } = await store.listAudit(ORG, { type: "node.completed" }, ALL);
      const nodes = data.map(({ node }) => node).reverse();
      expect(nodes).toEqual(Array.from({ length: 11 }, (_, index) => `n${index + 1}`));
    });

    it("has a segment to close once it is old enough", async () => {
      const { store } = subjectOf();
      await store.appendAudit(ORG, [entry("key.created")]);
      await trailOf(store, 5_000).catchUp(ORG);
      expect(await store.listPendingOrganisations(5_000, 10)).toEqual([]);
      expect(await store.listPendingOrganisations(5_001, 10)).toEqual([ORG]);
      await trailOf(store, 65_000).catchUp(ORG);
      expect(await store.listPendingOrganisations(99_000, 10)).toEqual([]);
      expect(await store.readSegment(ORG, 0, 1)).toMatchObject({
        toSeq: 1,
        closed: { fromSeq: 1, toSeq: 1, at: 65_000 },
      });
    });

    it("is taken in pieces, the oldest first, and stays where it was when sealing fails", async () => {
      const { store } = subjectOf();
      for (const type of ["key.created", "key.revoked", "auth.failed"] as const) {
        await store.appendAudit(ORG, [entry(type)]);
      }
      const failing: ComputeSeal = () => {
        throw new Error("no key");
      };
      await expect(store.seal(ORG, 2, failing)).rejects.toThrow("no key");
      const seen: number[] = [];
      const nothing: ComputeSeal = (head, pending) => {
        seen.push(pending.length);
        const types = pending.map(({ entries }) => entries[0]?.type);
        expect(types).toEqual(["key.created", "key.revoked"].slice(0, pending.length));
        return { head, records: [], segments: [] };
      };
      expect(await store.seal(ORG, 2, nothing)).not.toBeNull();
      expect(seen).toEqual([2]);
      expect(await store.listPendingOrganisations(0, 10)).toEqual([ORG]);
    });

    it("is sealed once, however many seal it", async () => {
      const { store, rival } = subjectOf();
      for (let call = 0; call < 12; call += 1)
        await store.appendAudit(ORG, [entry("key.created"), entry("key.revoked")]);
      const trails = [trailOf(store), trailOf(rival), trailOf(store), trailOf(rival)];
      await Promise.all(trails.map((trail) => trail.catchUp(ORG)));
      await trailOf(store).catchUp(ORG);
      expect(await store.auditHead(ORG)).toMatchObject({ seq: 24 });
      expect(await trailOf(rival).verify(ORG)).toMatchObject({ ok: true, records: 24 });
    });

    it("is listed newest first, page by page, by type, category and run, of one organisation", async () => {
      const { store } = subjectOf();
      await store.appendAudit(ORG, [
        entry("node.completed", { run: "run_1", node: "a" }),
        entry("node.completed", { run: "run_2", node: "a" }),
        entry("gate.held", { run: "run_1", node: "b" }),
        entry("key.created"),
        entry("node.failed", { run: "run_1", node: "c" }),
      ]);
      await trailOf(store).catchUp(ORG);
      const seqs = async (filter: AuditSelection): Promise<readonly number[]> =>
        (await store.listAudit(ORG, filter, ALL)).data.map(({ seq }) => seq);
      expect(await seqs({})).toEqual([5, 4, 3, 2, 1]);
      expect(await seqs({ type: "node.completed" })).toEqual([2, 1]);
      expect(await seqs({ category: "execution" })).toEqual([5, 2, 1]);
      expect(await seqs({ run: "run_1" })).toEqual([5, 3, 1]);
      expect(await seqs({ run: "run_1", category: "execution" })).toEqual([5, 1]);
      expect(await seqs({ run: "run_1", type: "gate.held", category: "governance" })).toEqual([3]);
      expect(await seqs({ type: "gate.held", category: "execution" })).toEqual([]);
      expect(await seqs({ run: "run\0" })).toEqual([]);
      expect((await store.listAudit("org_2", {}, ALL)).data).toEqual([]);
      const page = await store.listAudit(ORG, { run: "run_1" }, { limit: 2, cursor: null });
      expect(page.data.map(({ seq }) => seq)).toEqual([5, 3]);
      const rest = await store.listAudit(ORG, { run: "run_1" }, { limit: 2, cursor: page.nextCursor });
      expect([rest.data.map(({ seq }) => seq), rest.nextCursor]).toEqual([[1], null]);
    });

    it("is read a segment at a time, and no further than asked", async () => {
      const { store } = subjectOf();
      await segment(store, [entry("key.created"), entry("key.revoked")], 10_000);
      await store.appendAudit(ORG, [entry("auth.failed"), entry("auth.failed")]);
      await trailOf(store, 80_000).catchUp(ORG);
      const first = await store.readSegment(ORG, 0, 4);
      expect([first?.toSeq, first?.closed?.toSeq, first?.lines.length]).toEqual([2, 2, 2]);
      expect(JSON.parse(first?.closed?.checkpoint ?? "")).toMatchObject({ kind: "checkpoint", fromSeq: 1, toSeq: 2 });
      const open = await store.readSegment(ORG, 2, 4);
      expect([open?.toSeq, open?.closed, open?.lines.length]).toEqual([4, null, 2]);
      const cut = await store.readSegment(ORG, 0, 1);
      expect([cut?.toSeq, cut?.closed, cut?.lines.length]).toEqual([1, null, 1]);
      expect(await store.readSegment(ORG, 4, 4)).toBeNull();
      expect(await store.readSegment("org_2", 0, 4)).toBeNull();
    });

    it("is pruned segment by segment, and what is left verifies", async () => {
      const { store } = subjectOf();
      const done = entry("node.completed");
      await segment(store, [done, done], 10_000);
      await segment(store, [done], 80_000);
      await segment(store, [done, entry("gate.held"), done], 160_000);
      await segment(store, [entry("key.created")], 240_000);
      const trail = trailOf(store, 400 * DAY_MS);
      expect(await trail.prune(ORG)).toBe(4);
      expect(await trail.prune(ORG)).toBe(0);
      const gone = await store.readSegment(ORG, 0, 7);
      expect([gone?.toSeq, gone?.lines, gone?.closed?.checkpoint]).toEqual([3, [], null]);
      expect(JSON.parse(gone?.closed?.pruned ?? "")).toMatchObject({ kind: "pruned", fromSeq: 1, toSeq: 3 });
      const thinned = await store.readSegment(ORG, 3, 7);
      expect([thinned?.toSeq, thinned?.lines.length]).toEqual([6, 1]);
      expect(JSON.parse(thinned?.closed?.pruned ?? "")).toMatchObject({
        kind: "thinned",
        gone: [
          [4, expect.any(String)],
          [6, expect.any(String)],
        ],
      });
      expect(await store.readSegment(ORG, 6, 7)).toMatchObject({ toSeq: 7, closed: { pruned: null } });
      expect((await store.listAudit(ORG, {}, ALL)).data.map(({ seq }) => seq)).toEqual([7, 5]);
      expect(await trail.verify(ORG)).toMatchObject({ ok: true, records: 2, lastSeq: 7 });
      await store.appendAudit(ORG, [done]);
      await trail.catchUp(ORG);
      expect(await trail.verify(ORG)).toMatchObject({ ok: true, records: 3, lastSeq: 8 });
    });

    it("is pruned within the ages that are asked for, of one organisation", async () => {
      const { store } = subjectOf();
      await segment(store, [entry("node.completed")], 10_000);
      const categories = ["execution"] as const;
      const never = (): never => {
        throw new Error("nothing is to be pruned");
      };
      for (const [from, before] of [
        [0, 70_000],
        [70_001, 99_999],
      ] as const) {
        expect(await store.pruneSegment(ORG, { from, before, categories }, never)).toBe(false);
      }
      expect(await store.pruneSegment("org_2", { from: 0, before: 99_999, categories }, never)).toBe(false);
      const asked = { from: 70_000, before: 70_001, categories };
      await expect(store.pruneSegment(ORG, asked, never)).rejects.toThrow("nothing is to be pruned");
      expect((await store.listAudit(ORG, {}, ALL)).data).toHaveLength(1);
    });
  });
}
