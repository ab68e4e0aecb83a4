import { describe, expect, it } from "vitest";
import { UnstorableText, type RunCommit } from "../../src/store/index.ts";
import { approval, creation, logFrom, logged, NEW_RUN, openAttempt, share, WRITTEN } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

export function commitRules(subjectOf: SubjectOf): void {
  describe("a commit", () => {
    it("creates a run with all that was pinned, and head and log follow each other", async () => {
      const { store } = subjectOf();
      expect(await store.commit([creation("run_1")])).toEqual(WRITTEN);
      expect(await store.commit([share("run_1", 1, logFrom(2, 3), { head: { costMicros: 5_000_000_000 } })])).toEqual(
        WRITTEN,
      );
      const none = { waitingFor: null, paused: null, errorCode: null, errorMessage: null };
      const ended = { status: "completed", endedAt: 9_000, epoch: 2, ...none } as const;
      expect(await store.commit([share("run_1", 2, logFrom(5, 1), { head: ended })])).toEqual(WRITTEN);
      const [loaded] = await store.loadRuns(["run_1"]);
      const { idempotency: _, ...pinned } = NEW_RUN;
      const head = { rowVersion: 3, lastEventId: 6, costMicros: 0, startedAt: 1_000, ...ended };
      expect(loaded?.run).toEqual({ runId: "run_1", orgId: "org_1", ...pinned, ...head });
      expect(loaded?.events).toEqual(logFrom(0, 6));
      expect(await store.getRun("org_1", "run_1")).toEqual(loaded?.run);
      expect(await store.headsOf(["run_1", "run_0", "run_1"])).toEqual([{ runId: "run_1", ...head }]);
    });

    it("of nothing does nothing, and one without events changes only the head", async () => {
      const { store } = subjectOf();
      expect(await store.commit([])).toEqual(WRITTEN);
      await store.commit([creation("run_1")]);
      expect(await store.commit([share("run_1", 1, [], { head: { lastEventId: 2, epoch: 1 } })])).toEqual(WRITTEN);
      const [loaded] = await store.loadRuns(["run_1"]);
      expect(loaded?.run).toMatchObject({ rowVersion: 2, lastEventId: 2, epoch: 1 });
      expect(loaded?.events).toHaveLength(2);
    });

    it("at another version than the stored one writes nothing of that run and all of the others", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1"), creation("run_2"), creation("run_3")]);
      const parts = {
        opened: [openAttempt("a", { deadlineAt: 1 })],
        timersSet: [{ timer: { kind: "run", epoch: 0 } as const, dueAt: 1 }],
      };
      const waiting = { ...parts, approvalsOpened: [approval("apr_2", "run_2")] };
      const outcome = await store.commit(
        [
          share("run_3", 1, logFrom(2, 1), { ...parts, approvalsOpened: [approval("apr_3", "run_3")] }),
          share("run_2", 7, logFrom(2, 1), waiting),
          share("run_1", 1, logFrom(2, 2)),
          share("run_9", 1, logFrom(2, 1), parts),
          creation("run_3", { workflow: "other" }),
        ].filter((one, index, all) => all.findIndex(({ runId }) => runId === one.runId) === index),
      );
      expect(new Set(outcome.conflicts)).toEqual(new Set(["run_2", "run_9"]));
      const heads = await store.headsOf(["run_1", "run_2", "run_3"]);
      expect(Object.fromEntries(heads.map((head) => [head.runId, head.rowVersion]))).toEqual({
        run_1: 2,
        run_2: 1,
        run_3: 2,
      });
      const [stale] = await store.loadRuns(["run_2"]);
      expect(stale).toMatchObject({ events: logFrom(0, 2), openAttempts: [] });
      expect((await store.dueTimers(10)).map(({ runId }) => runId)).toEqual(["run_3", "run_3"]);
      expect(await store.getApproval("org_1", "apr_2")).toBeUndefined();
      expect(await store.getApproval("org_1", "apr_3")).toBeDefined();
    });

    it("creates a run once", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1")]);
      const again = await store.commit([creation("run_1", { workflow: "other" }), creation("run_2")]);
      expect(again).toEqual({ isOverLimit: false, conflicts: ["run_1"], duplicates: [] });
      expect(await store.getRun("org_1", "run_1")).toMatchObject({ workflow: "triage", rowVersion: 1 });
      expect(await store.getRun("org_1", "run_2")).toBeDefined();
    });

    it("under another organisation's name finds no run", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1")]);
      const outcome = await store.commit([share("run_1", 1, logFrom(2, 1), { orgId: "org_2" })]);
      expect(outcome.conflicts).toEqual(["run_1"]);
      expect(await store.headsOf(["run_1"])).toMatchObject([{ rowVersion: 1, lastEventId: 2 }]);
    });

    it.each([
      ["leaves a gap after the log", [creation("run_2"), share("run_1", 1, logFrom(3, 1))]],
      ["repeats the log", [creation("run_2"), share("run_1", 1, logFrom(1, 2))]],
      ["moves the head past its events", [creation("run_2"), share("run_1", 1, [], { head: { lastEventId: 3 } })]],
      ["leaves a gap among its events", [creation("run_2"), share("run_1", 1, [logged(3), logged(5)])]],
      ["has a run twice", [creation("run_2"), share("run_1", 1, logFrom(2, 1)), share("run_1", 2, logFrom(3, 1))]],
      ["creates at a version", [creation("run_2"), { ...creation("run_3"), expectedVersion: 1 }]],
      ["has NUL in an id", [creation("run_2"), creation("run_\0")]],
      ["has half a character in an id", [creation("run_2"), creation("run_3", { workflow: "\ud800" })]],
      [
        "has NUL in a node id",
        [
          creation("run_2"),
          share("run_1", 1, [], {
            head: { lastEventId: 2 },
            opened: [{ nodeId: "\0", attempt: 1, replicaId: "r", deadlineAt: 1, agentId: null, reserved: [] }],
          }),
        ],
      ],
    ] satisfies [string, RunCommit[]][])("that %s is refused whole", async (_, batch) => {
      const { store } = subjectOf();
      await store.commit([creation("run_1")]);
      await expect(store.commit(batch)).rejects.toThrow();
      expect(await store.getRun("org_1", "run_2")).toBeUndefined();
      expect(await store.headsOf(["run_1"])).toMatchObject([{ rowVersion: 1, lastEventId: 2 }]);
      expect((await store.loadRuns(["run_1"]))[0]).toMatchObject({ events: logFrom(0, 2), openAttempts: [] });
    });

    it("names the place of text it cannot keep", async () => {
      const { store } = subjectOf();
      await expect(store.commit([creation("run_1", { trigger: "\0" })])).rejects.toThrow(UnstorableText);
      await expect(store.commit([creation("run_1", { trigger: "\0" })])).rejects.toThrow("trigger of run_1 holds NUL");
    });

    it("keeps any text in events, args and bindings as it was", async () => {
      const { store } = subjectOf();
      const hostile = [
        "\0",
        "\ud800",
        '"',
        "\\",
        "{}",
        "null",
        "\x1e\x1f",
        "'; drop table runs; --",
        "\u{1F600}",
        "\\u0000",
      ];
      const args = Object.fromEntries([...hostile, "__proto__", "constructor"].map((text) => [text, [text]]));
      const events = hostile.map((text, index) => logged(index + 1, text));
      const roleBindings = Object.fromEntries([["__proto__", '\\"']]);
      expect(await store.commit([creation("run_1", { args, roleBindings }, { events })])).toEqual(WRITTEN);
      const [loaded] = await store.loadRuns(["run_1"]);
      expect(loaded?.events).toEqual(events);
      expect(JSON.stringify(loaded?.run.args)).toBe(JSON.stringify(args));
      expect(JSON.stringify(loaded?.run.roleBindings)).toBe(JSON.stringify(roleBindings));
    });

    it("keeps ids and names with quotes, commas and braces as they are", async () => {
      const { store } = subjectOf();
      const odd = `a "quoted", {braced} \\ b`;
      const parts = {
        opened: [{ nodeId: odd, attempt: 1, replicaId: odd, deadlineAt: 5, agentId: null, reserved: [] }],
      };
      await store.commit([creation("run_1", { workflow: odd, gateway: "null", model: "" }, parts)]);
      const [loaded] = await store.loadRuns(["run_1"]);
      expect(loaded).toMatchObject({ run: { workflow: odd, gateway: "null", model: "" }, openAttempts: parts.opened });
      await store.commit([share("run_1", 1, logFrom(2, 1), { closed: [{ nodeId: odd, attempt: 1 }] })]);
      expect((await store.loadRuns(["run_1"]))[0]?.openAttempts).toEqual([]);
    });

    it("takes five hundred runs at once", async () => {
      const { store } = subjectOf();
      const ids = Array.from({ length: 500 }, (_, index) => `run_${String(index).padStart(4, "0")}`);
      expect(await store.commit(ids.map((id) => creation(id)))).toEqual(WRITTEN);
      const outcome = await store.commit(ids.map((id, index) => share(id, index % 5 === 0 ? 9 : 1, logFrom(2, 3))));
      expect(new Set(outcome.conflicts)).toEqual(new Set(ids.filter((_, index) => index % 5 === 0)));
      const loaded = await store.loadRuns(ids);
      expect(loaded.map(({ run }) => run.runId)).toEqual(ids);
      expect(loaded.map(({ events }) => events.length)).toEqual(ids.map((_, index) => (index % 5 === 0 ? 2 : 5)));
    });

    it("is not changed by what its caller does to it afterwards", async () => {
      const { store } = subjectOf();
      const list = [1];
      await store.commit([creation("run_1", { args: { list } })]);
      list.push(2);
      const [loaded] = await store.loadRuns(["run_1"]);
      const first = loaded?.run.args["list"];
      if (Array.isArray(first)) first.push(3);
      expect((await store.getRun("org_1", "run_1"))?.args).toEqual({ list: [1] });
    });

    it("of the same version by two clients at once counts once", async () => {
      const { store, rival } = subjectOf();
      const ids = Array.from({ length: 20 }, (_, index) => `run_${index}`);
      await store.commit(ids.map((id) => creation(id)));
      for (let version = 1; version <= 5; version += 1) {
        const batch = (by: string): RunCommit[] =>
          ids.map((id) => share(id, version, [logged(version + 2, by)], { head: { lastEventId: version + 2 } }));
        const [left, right] = await Promise.all([
          store.commit(batch("left")),
          rival.commit([...batch("right")].reverse()),
        ]);
        expect([...left.conflicts, ...right.conflicts].sort()).toEqual([...ids].sort());
        const lost = new Set(left.conflicts);
        for (const { run, events } of await store.loadRuns(ids)) {
          expect(run.rowVersion).toBe(version + 1);
          expect(events.at(-1)?.payload).toMatchObject({ message: lost.has(run.runId) ? "right" : "left" });
          expect(events.map(({ eventId }) => eventId)).toEqual(logFrom(0, version + 2).map(({ eventId }) => eventId));
        }
      }
    });
  });
}
