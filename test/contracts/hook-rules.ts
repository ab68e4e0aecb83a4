import { expect, it } from "vitest";
import type { HookRecord } from "../../src/store/index.ts";
import type { SubjectOf } from "./store-contract.ts";

export function hookRules(subjectOf: SubjectOf): void {
  const hook = (parts: Partial<HookRecord> = {}): HookRecord => ({
    orgId: "org_1",
    workflow: "triage",
    secret: "s1",
    previousSecret: null,
    previousUntil: null,
    savedBy: "key_1",
    createdAt: 5,
    updatedAt: 5,
    ...parts,
  });

  it("hooks are kept per organisation and workflow, found by workflow, and replaced", async () => {
    const { store } = subjectOf();
    await store.putHook(hook({ orgId: "org_2", createdAt: 9 }));
    await store.putHook(hook());
    await store.putHook(hook({ workflow: "other" }));
    const next = { secret: "s2", previousSecret: "s1", previousUntil: 99, createdAt: 7, updatedAt: 7 };
    await store.putHook(hook(next));
    expect(await store.getHook("org_1", "triage")).toEqual({ ...hook(next), createdAt: 5 });
    expect((await store.findHooks("triage", 10)).map(({ orgId }) => orgId)).toEqual(["org_1", "org_2"]);
    expect(await store.findHooks("triage", 1)).toHaveLength(1);
    expect(await store.findHooks("tri\0", 1)).toEqual([]);
    expect(await store.deleteHook("org_1", "triage")).toBe(true);
    expect(await store.deleteHook("org_1", "triage")).toBe(false);
    expect(await store.getHook("org_1", "triage")).toBeUndefined();
    expect(await store.findHooks("triage", 10)).toHaveLength(1);
  });
}
