import { describe, expect, it } from "vitest";
import { type GroupableNode, groupGraph, VISIBLE_MAX } from "./index.ts";

const node = (id: string, wave = 0, more: Partial<GroupableNode> = {}): GroupableNode => ({
  id,
  wave,
  phase: null,
  parents: [],
  instances: [],
  ...more,
});
const CLOSED = { open: new Set<string>() };
const wide = (count: number): GroupableNode[] => Array.from({ length: count }, (_, index) => node(`n${index}`));

describe("groupGraph", () => {
  it.each([
    [VISIBLE_MAX - 1, null],
    [VISIBLE_MAX, null],
    [VISIBLE_MAX + 1, "wave"],
  ])("shows %i nodes grouped by %s", (count, by) => {
    const grouped = groupGraph(wide(count), CLOSED);
    expect(grouped.by).toBe(by);
    expect(grouped.vertices).toHaveLength(by === null ? count : 1);
  });

  it("shows any number of instances", () => {
    const instances = Array.from({ length: 200_000 }, (_, index) => `a[${index}]`);
    const { vertices } = groupGraph([node("a", 0, { instances })], { open: new Set(["a"]) });
    expect(vertices).toHaveLength(200_001);
  });

  it("groups by phase when all nodes have one", () => {
    const nodes = [
      node("a", 0, { phase: "plan" }),
      node("b", 0, { phase: "plan" }),
      node("c", 1, { phase: "build", parents: ["a"] }),
      node("d", 1, { phase: "build", parents: ["b"] }),
    ];
    const grouped = groupGraph(nodes, { ...CLOSED, limit: 3 });
    expect(grouped.by).toBe("phase");
    expect(grouped.vertices).toEqual([
      { kind: "group", id: "phase:plan", label: "plan", members: ["a", "b"] },
      { kind: "group", id: "phase:build", label: "build", members: ["c", "d"] },
    ]);
    expect(grouped.edges).toEqual([{ source: "phase:plan", target: "phase:build" }]);
    const open = groupGraph(nodes, { limit: 3, open: new Set(["phase:build"]) });
    expect(open.vertices.map(({ id }) => id)).toEqual(["phase:plan", "c", "d"]);
    expect([grouped.opened, open.opened]).toEqual([
      [],
      [{ kind: "group", id: "phase:build", label: "build", members: ["c", "d"] }],
    ]);
    expect(open.edges).toEqual([
      { source: "phase:plan", target: "c" },
      { source: "phase:plan", target: "d" },
    ]);
  });

  it("groups by wave when phases run into each other", () => {
    const nodes = [
      node("a", 0, { phase: "x" }),
      node("b", 1, { phase: "y", parents: ["a"] }),
      node("c", 2, { phase: "x", parents: ["b"] }),
      node("d", 2, { phase: "x", parents: ["b"] }),
    ];
    const grouped = groupGraph(nodes, { ...CLOSED, limit: 3 });
    expect(grouped.by).toBe("wave");
    expect(grouped.vertices.map(({ id }) => id)).toEqual(["waves:2-2", "a", "b"]);
    expect(grouped.vertexOf.get("c")).toBe("waves:2-2");
  });

  it("puts several waves together where there are many", () => {
    const chain = Array.from({ length: 700 }, (_, index) =>
      node(`n${index}`, index, { parents: index === 0 ? [] : [`n${index - 1}`] }),
    );
    const { vertices, edges } = groupGraph(chain, CLOSED);
    expect(vertices).toHaveLength(234);
    expect(vertices[0]).toMatchObject({ id: "waves:0-2", label: "Layers 1–3", members: ["n0", "n1", "n2"] });
    expect(edges).toHaveLength(233);
  });

  it("keeps instances behind their node until it is opened", () => {
    const nodes = [
      node("list"),
      node("each", 1, { parents: ["list"], instances: ["each[0]", "each[1]"] }),
      node("all", 2, { parents: ["each"] }),
    ];
    const closed = groupGraph(nodes, CLOSED);
    expect(closed.vertices.map(({ id }) => id)).toEqual(["list", "each", "all"]);
    expect(closed.vertexOf.get("each[1]")).toBe("each");
    const open = groupGraph(nodes, { open: new Set(["each"]) });
    expect(open.vertices.map(({ id }) => id)).toEqual(["list", "each", "each[0]", "each[1]", "all"]);
    expect(open.edges.map(({ source, target }) => `${source}>${target}`)).toEqual([
      "each>each[0]",
      "each>each[1]",
      "each[0]>all",
      "each[1]>all",
      "list>each",
    ]);
    expect(open.vertexOf.get("each[1]")).toBe("each[1]");
  });

  it("shows an instance through the group its node stands in", () => {
    const nodes = [node("a", 0, { instances: ["a[0]"] }), node("b")];
    expect(groupGraph(nodes, { limit: 1, open: new Set(["a"]) }).vertexOf.get("a[0]")).toBe("waves:0-0");
  });

  it("leads past an open node without instances", () => {
    const nodes = [node("each"), node("all", 1, { parents: ["each"] })];
    expect(groupGraph(nodes, { open: new Set(["each"]) }).edges).toEqual([{ source: "each", target: "all" }]);
  });
});
