import { describe, expect, it } from "vitest";
import { completed, creation, logFrom, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

export function blobRules(subjectOf: SubjectOf): void {
  describe("large values", () => {
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
