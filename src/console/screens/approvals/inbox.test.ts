import { describe, expect, it } from "vitest";
import type { InboxItem } from "../../../client/index.ts";
import { needsReason } from "../../parts/approval-texts.ts";
import { entriesOf, filterOf, groupKey, placeOf, readKey, withoutAnswered } from "./inbox.ts";

const item = (id: string, more: Partial<InboxItem> = {}): InboxItem =>
  ({ id, runId: `run_${id}`, status: "pending", group: null, groupSize: 1, ...more }) as InboxItem;

const group = (id: string, of: string, groupSize: number): InboxItem => item(id, { group: of, groupSize });

describe("the entries of the inbox", () => {
  it("are approvals, and groups by their first approval", () => {
    const entries = entriesOf([item("a"), group("b", "g", 3), group("c", "h", 1)]);
    expect(entries.map(({ key, size }) => [key, size])).toEqual([
      ["a", 1],
      ["group:g", 3],
      ["c", 1],
    ]);
    expect(["group:g", "group:g:apr_1", "apr_1"].map(readKey)).toEqual([
      { group: "g", id: null },
      { group: "g", id: "apr_1" },
      { group: null, id: "apr_1" },
    ]);
    expect([groupKey("g"), groupKey("g", "apr_1")]).toEqual(["group:g", "group:g:apr_1"]);
  });

  it("keep the place of the selection when it is answered", () => {
    const entries = entriesOf([item("a"), item("b"), item("c")]);
    expect(placeOf(entries, "b", 0)).toBe(1);
    expect(placeOf(entriesOf([item("a"), item("c")]), "b", 1)).toBe(1);
    expect(placeOf(entriesOf([item("a")]), "b", 1)).toBe(0);
    expect(placeOf([], "b", 1)).toBe(0);
    // A group, one of its members, and what is left of it stand in the place of the group.
    for (const size of [3, 1]) {
      const grouped = entriesOf([item("a"), group("b", "g", size)]);
      expect(["group:g", "group:g:c", "b"].map((key) => placeOf(grouped, key, 0))).toEqual([1, 1, 1]);
    }
  });

  it("leave by live messages; of a group, others may be left", () => {
    const items = [item("a"), item("b", { runId: "run_a" }), item("c"), item("l", { runId: null }), group("g", "g", 2)];
    const message = (runId: string | null, ...pending: string[]) => ({ type: "approval", runId, pending }) as const;
    const left = (...messages: ReturnType<typeof message>[]) =>
      withoutAnswered(items, messages)
        .map(({ id }) => id)
        .join("");
    expect(left(message("run_a", "b"))).toBe("bclg");
    expect(left(message("run_x", "x"))).toBe("abclg");
    expect(left(message(null))).toBe("abcg");
    expect(left(message("run_g"))).toBe("abclg");
    expect(withoutAnswered(items, [message("run_a", "a", "b")])).toBe(items);
  });
});

it("reads its filters from the address", () => {
  const read = (text: string) => filterOf({ get: (name) => new URLSearchParams(text).get(name) });
  expect(read("")).toEqual({ status: "pending", order: "expiring", grouped: "true" });
  expect(read("mine=true&q=pay&source=gate&older_than=4h&workflow=w&assignee=me&id=x")).toEqual({
    status: "pending",
    order: "expiring",
    grouped: "true",
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
