import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/core/event/index.ts";
import { UnstorableText, type RunCommit } from "../../src/store/index.ts";
import { approval, creation, logFrom, logged, NEW_RUN, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const NONE = { isOverLimit: false, conflicts: [], duplicates: [] };

export function commitRules(subjectOf: SubjectOf): void {
  describe("a commit", () => {
    it("creates a run with all that was pinned, and head and log follow each other", async () => {
      const { store } = subjectOf();
      expect(await store.commit([creation("run_1")])).toEqual(NONE);
      expect(await store.commit([share("run_1", 1, logFrom(2, 3), { head: { costMicros: 5_000_000_000 } })])).toEqual(
        NONE,
      );
      const ended = { status: "completed", endedAt: 9_000, epoch: 2 } as const;
      expect(await store.commit([share("run_1", 2, logFrom(5, 1), { head: ended })])).toEqual(NONE);
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
      expect(await store.commit([])).toEqual(NONE);
      await store.commit([creation("run_1")]);
      expect(await store.commit([share("run_1", 1, [], { head: { lastEventId: 2, epoch: 1 } })])).toEqual(NONE);
      const [loaded] = await store.loadRuns(["run_1"]);
      expect(loaded?.run).toMatchObject({ rowVersion: 2, lastEventId: 2, epoch: 1 });
      expect(loaded?.events).toHaveLength(2);
    });

    it("at another version than the stored one writes nothing of that run and all of the others", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1"), creation("run_2"), creation("run_3")]);
      const parts = {
        opened: [{ nodeId: "a", attempt: 1, replicaId: "rep_1", deadlineAt: 1, agentId: null, reserved: [] }],
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
      expect(await store.commit([creation("run_1", { args, roleBindings }, { events })])).toEqual(NONE);
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
      expect(await store.commit(ids.map((id) => creation(id)))).toEqual(NONE);
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

  describe("attempts and timers", () => {
    const open = (nodeId: string, attempt: number, deadlineAt: number | null = null) => ({
      nodeId,
      attempt,
      replicaId: "rep_1",
      deadlineAt,
      agentId: null,
      reserved: [],
    });

    it("open and close; closing wins, opening again renews, closing what is not open does nothing", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1", {}, { opened: [open("a", 1, 5), open("b", 1)] })]);
      const closed = [
        { nodeId: "b", attempt: 1 },
        { nodeId: "c", attempt: 1 },
        { nodeId: "x", attempt: 9 },
      ];
      const opened = [open("a", 1, 7), open("c", 1), open("a", 2)];
      await store.commit([share("run_1", 1, logFrom(2, 1), { opened, closed })]);
      expect((await store.loadRuns(["run_1"]))[0]?.openAttempts).toEqual([open("a", 1, 7), open("a", 2)]);
    });

    it("are due by database time, deadlines among them, oldest first and no more than asked", async () => {
      const { store } = subjectOf();
      const now = await store.now();
      const timersSet = [
        { timer: { kind: "retry", nodeId: "a", retries: 1 } as const, dueAt: now - 10 },
        { timer: { kind: "run", epoch: 0 } as const, dueAt: now + 1_000_000 },
      ];
      await store.commit([
        creation("run_1", {}, { timersSet, opened: [open("b", 3, now - 20), open("c", 1, now + 2_000_000)] }),
      ]);
      const deadline = { runId: "run_1", timer: { kind: "attempt", nodeId: "b", attempt: 3 }, dueAt: now - 20 };
      const retry = { runId: "run_1", timer: timersSet[0]?.timer, dueAt: now - 10 };
      expect(await store.dueTimers(10)).toEqual([deadline, retry]);
      expect(await store.dueTimers(1)).toEqual([deadline]);
      expect(await store.nextDueAt()).toBe(now - 20);
      await subjectOf().passTime(1_000_000);
      expect((await store.dueTimers(10)).map(({ timer }) => timer.kind)).toEqual(["attempt", "retry", "run"]);
    });

    it("set again are moved; cleared and set at once are set; cleared are gone", async () => {
      const { store } = subjectOf();
      const timer = { kind: "wake", nodeId: "a", epoch: 0 } as const;
      // The same timer, its fields in another order.
      const same = { epoch: 0, nodeId: "a", kind: "wake" } as const;
      await store.commit([creation("run_1", {}, { timersSet: [{ timer, dueAt: 5 }] })]);
      await store.commit([
        share("run_1", 1, logFrom(2, 1), { timersCleared: [timer], timersSet: [{ timer: same, dueAt: 6 }] }),
      ]);
      expect(await store.dueTimers(10)).toEqual([{ runId: "run_1", timer, dueAt: 6 }]);
      await store.commit([share("run_1", 2, logFrom(3, 1), { timersCleared: [same] })]);
      expect(await store.dueTimers(10)).toEqual([]);
      expect(await store.nextDueAt()).toBeNull();
    });
  });

  describe("an idempotency key", () => {
    const scope = { orgId: "org_1", keyId: "key_1", workflow: "triage", key: "nonce" };
    const idempotency = { ...scope, bodyHash: "h1" };

    it("starts one run, and tells the later ones apart", async () => {
      const { store } = subjectOf();
      expect(await store.findIdempotent(scope)).toBeUndefined();
      expect(await store.commit([creation("run_1", { idempotency })])).toEqual(NONE);
      expect(await store.findIdempotent(scope)).toEqual({ runId: "run_1", bodyHash: "h1" });
      const outcome = await store.commit([
        creation("run_2", { idempotency: { ...idempotency, bodyHash: "h2" } }),
        creation("run_3", { idempotency: { ...idempotency, keyId: "key_2" } }),
        creation("run_4"),
      ]);
      const duplicates = [{ runId: "run_2", existingRunId: "run_1", bodyHash: "h1" }];
      expect(outcome).toEqual({ isOverLimit: false, conflicts: [], duplicates });
      expect(await store.getRun("org_1", "run_2")).toBeUndefined();
      expect(await store.loadRuns(["run_2"])).toEqual([]);
      expect(await store.getRun("org_1", "run_3")).toBeDefined();
      expect(await store.getRun("org_1", "run_4")).toBeDefined();
    });

    it("names the run itself when a creation is told again", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1", { idempotency })]);
      const { conflicts, duplicates } = await store.commit([creation("run_1", { idempotency })]);
      expect({ conflicts, duplicates }).toEqual({
        conflicts: [],
        duplicates: [{ runId: "run_1", existingRunId: "run_1", bodyHash: "h1" }],
      });
    });

    it("stays with its run when a later commit of that run is refused", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1", { idempotency })]);
      const other = { ...idempotency, key: "another" };
      const outcome = await store.commit([share("run_1", 9, logFrom(2, 1)), creation("run_2", { idempotency: other })]);
      expect(outcome).toEqual({ isOverLimit: false, conflicts: ["run_1"], duplicates: [] });
      expect((await store.commit([creation("run_1", { idempotency: { ...other, key: "third" } })])).conflicts).toEqual([
        "run_1",
      ]);
      expect(await store.findIdempotent(scope)).toEqual({ runId: "run_1", bodyHash: "h1" });
      expect(await store.findIdempotent({ ...scope, key: "third" })).toBeUndefined();
    });

    it("is not taken by a run that was not created", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1")]);
      expect((await store.commit([creation("run_1", { idempotency })])).conflicts).toEqual(["run_1"]);
      expect(await store.findIdempotent(scope)).toBeUndefined();
      expect(await store.commit([creation("run_2", { idempotency })])).toEqual(NONE);
    });

    it("stands for one of a batch, and of two clients", async () => {
      const { store, rival } = subjectOf();
      const both = await store.commit([creation("run_1", { idempotency }), creation("run_2", { idempotency })]);
      expect(both.duplicates).toEqual([{ runId: "run_2", existingRunId: "run_1", bodyHash: "h1" }]);
      const other = { ...idempotency, key: "another" };
      const outcomes = await Promise.all([
        store.commit([creation("run_3", { idempotency: other })]),
        rival.commit([creation("run_4", { idempotency: other })]),
      ]);
      expect(outcomes.flatMap(({ duplicates }) => duplicates)).toHaveLength(1);
      const runs = await Promise.all(["run_3", "run_4"].map((id) => store.getRun("org_1", id)));
      expect(runs.filter((run) => run !== undefined)).toHaveLength(1);
    });

    it("is free again after a day", async () => {
      const { store, passTime } = subjectOf();
      await store.commit([creation("run_1", { idempotency })]);
      await passTime(24 * 3_600_000 - 60_000);
      expect(await store.findIdempotent(scope)).toBeDefined();
      await passTime(60_001);
      expect(await store.findIdempotent(scope)).toBeUndefined();
      expect(await store.commit([creation("run_2", { idempotency: { ...idempotency, bodyHash: "h2" } })])).toEqual(
        NONE,
      );
      expect(await store.findIdempotent(scope)).toEqual({ runId: "run_2", bodyHash: "h2" });
    });
  });

  describe("large values", () => {
    const completed = (eventId: number, outputs: Record<string, string>): RunEvent => ({
      eventId,
      at: 1,
      type: "node.completed",
      payload: {
        nodeId: "a",
        attempt: 1,
        envelope: { kind: "text", artifactKind: "text", output: "" },
        outputs,
        durationMs: 1,
        inputTokens: 0,
        outputTokens: 0,
        costMicros: 0,
      },
    });

    it("leave the log, are kept once, and are there again when a run is loaded", async () => {
      const { store } = subjectOf();
      const large = "\u{1F600}\0".repeat(20_000);
      const events = [completed(1, { large, small: "s" }), completed(2, { large })];
      await store.commit([
        creation("run_1", {}, { events }),
        creation("run_2", {}, { events: [completed(1, { large })] }),
      ]);
      const loaded = await store.loadRuns(["run_2", "run_1"]);
      expect(loaded.map(({ run }) => run.runId)).toEqual(["run_2", "run_1"]);
      expect(loaded[1]?.events).toEqual(events);
      const [first, second] = await store.readEvents("org_1", "run_1", 0, 10);
      expect(first?.payload).toMatchObject({ outputs: { large: null, small: "s" } });
      expect(first?.refs).toMatchObject([
        { path: ["outputs", "large"], bytes: Buffer.byteLength(JSON.stringify(large)) },
      ]);
      expect(second?.refs?.[0]?.hash).toBe(first?.refs?.[0]?.hash);
      const hash = first?.refs?.[0]?.hash ?? "";
      expect(await store.getBlob("org_1", hash)).toBe(large);
      expect(await store.getBlob("org_2", hash)).toBeUndefined();
      expect(await store.getBlob("org_1", "sha256:none")).toBeUndefined();
    });

    it("of a share that was refused are not kept", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1"), creation("run_2")]);
      const text = "x".repeat(70_000);
      await store.commit([
        share("run_1", 4, [completed(3, { a: text })]),
        share("run_2", 1, [completed(3, { a: `${text}y` })]),
      ]);
      const [event] = await store.readEvents("org_1", "run_2", 2, 1);
      expect(await store.getBlob("org_1", event?.refs?.[0]?.hash ?? "")).toBe(`${text}y`);
      expect((await store.loadRuns(["run_1"]))[0]?.events).toEqual(logFrom(0, 2));
    });
  });
}
