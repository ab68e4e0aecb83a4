import { describe, expect, it } from "vitest";
import type { InboxItem } from "../../../client/index.ts";
import { needsReason } from "../../parts/approval-texts.ts";
import { entriesOf, filterOf, groupOfKey, patchItems, placeOf } from "./inbox.ts";

const item = (id: string, more: Partial<InboxItem> = {}): InboxItem =>
  ({ id, runId: `run_${id}`, status: "pending", group: null, ...more }) as InboxItem;

describe("the entries of the inbox", () => {
  it("are approvals, and groups where their first approval stands", () => {
    const entries = entriesOf([
      item("a"),
      item("b", { group: "g" }),
      item("c", { group: "h" }),
      item("d", { group: "g" }),
      item("e", { group: "i", status: "approved" }),
      item("f", { group: "i", status: "approved" }),
    ]);
    expect(entries.map(({ key, items }) => [key, items.map(({ id }) => id).join("")])).toEqual([
      ["a", "a"],
      ["group:g", "bd"],
      ["c", "c"],
      ["e", "e"],
      ["f", "f"],
    ]);
    expect([groupOfKey("group:g"), groupOfKey("a")]).toEqual(["g", null]);
  });

  it("keep the place of the selection when it is answered", () => {
    const entries = entriesOf([item("a"), item("b"), item("c")]);
    expect(placeOf(entries, "b", 0)).toBe(1);
    expect(placeOf(entriesOf([item("a"), item("c")]), "b", 1)).toBe(1);
    expect(placeOf(entriesOf([item("a")]), "b", 1)).toBe(0);
    expect(placeOf([], "b", 1)).toBe(0);
    const grouped = entriesOf([item("a"), item("b", { group: "g" }), item("c", { group: "g" })]);
    expect(placeOf(grouped, "c", 0)).toBe(1);
  });

  it("leave by live messages, and new ones are noticed", () => {
    const items = [item("a"), item("b", { runId: "run_a" }), item("c"), item("l", { runId: null })];
    const message = (runId: string | null, ...pending: string[]) => ({ type: "approval", runId, pending }) as const;
    const ids = (found: ReturnType<typeof patchItems>) => [found.items.map(({ id }) => id).join(""), found.hasNew];
    expect(ids(patchItems(items, [message("run_a", "b")]))).toEqual(["bcl", false]);
    expect(ids(patchItems(items, [message("run_x", "x")]))).toEqual(["abcl", true]);
    expect(ids(patchItems(items, [message(null)]))).toEqual(["abc", false]);
    expect(patchItems(items, [message("run_a", "a", "b")]).items).toBe(items);
  });
});

it("reads its filters from the address", () => {
  const read = (text: string) => filterOf({ get: (name) => new URLSearchParams(text).get(name) });
  expect(read("")).toEqual({ status: "pending", order: "expiring" });
  expect(read("mine=true&q=pay&source=gate&older_than=4h&workflow=w&assignee=me&id=x")).toEqual({
    status: "pending",
    order: "expiring",
    mine: "true",
    source: "gate",
    q: "pay",
    older_than: "4h",
    workflow: "w",
    assignee: "me",
  });
  expect(read("show=answered&mine=true&source=nonsense")).toEqual({ status: "closed", order: "newest" });
});

it("wants a reason for every no", () => {
  expect((["approve", "reject", "retry", "skip", "abort"] as const).filter(needsReason)).toEqual(["reject", "abort"]);
});
