import { describe, expect, it } from "vitest";
import { groupGraph, type Layout, type LayoutEdge, layOut } from "../../core/graph/layout/index.ts";
import { createView, type NodeView } from "../../core/view/index.ts";
import { CARD, GAPS } from "./card.ts";
import { edgePath } from "./edge-path.ts";
import { graphNodesOf } from "./graph-node.ts";
import { countsText, readCounts, urgentOf } from "./status-counts.ts";
import { boxAt, isFar, cornerOf, openingViewport, revealing, wholeViewport, ZOOM_MIN } from "./viewport.ts";
import { isArrow, walk } from "./walk.ts";

const box = (id: string) => ({ id, width: 100, height: 40 });
const edge = (text: string): LayoutEdge => {
  const [source = "", target = ""] = text.split(">");
  return { source, target };
};

describe("walk", () => {
  const nodes = ["a", "b", "c", "d"].map(box);
  const edges = ["a>b", "a>c", "b>d", "c>d"].map(edge);
  const layout = layOut(nodes, edges, { direction: "right", nodeGap: 20, layerGap: 60 });

  it("goes along edges and across layers", () => {
    const steps = (from: string) =>
      (["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"] as const).map((arrow) => walk(layout, from, arrow, "right"));
    expect(steps("a")).toEqual([null, "b", null, null]);
    expect(steps("b")).toEqual(["a", "d", null, "c"]);
    expect(steps("c")).toEqual(["a", "d", "b", null]);
    expect(steps("d")).toEqual(["b", null, null, null]);
  });

  it("turns with the graph, and begins at the first", () => {
    const down = layOut(nodes, edges, { direction: "down", nodeGap: 20, layerGap: 60 });
    expect(walk(down, "a", "ArrowDown", "down")).toBe("b");
    expect(walk(down, "b", "ArrowRight", "down")).toBe("c");
    expect(walk(down, null, "ArrowUp", "down")).toBe("a");
    expect(walk(layOut([], [], { direction: "down", nodeGap: 1, layerGap: 1 }), null, "ArrowUp", "down")).toBeNull();
    expect([isArrow("ArrowUp"), isArrow("Enter")]).toEqual([true, false]);
  });
});

describe("walk in a block", () => {
  const many = Array.from({ length: 30 }, (_, index) => `m${String(index).padStart(2, "0")}`);
  const edges = many.flatMap((id) => [edge(`a>${id}`), edge(`${id}>z`)]);
  const layout = layOut(["a", ...many, "z"].map(box), edges, { direction: "right", nodeGap: 20, layerGap: 60 });
  const placed = new Map(layout.nodes.map((node) => [node.id, node]));
  const corner = (id: string | null) => [placed.get(id ?? "")?.x, placed.get(id ?? "")?.y];

  it("goes straight on, and leaves it at its sides", () => {
    const [first = "", second = ""] = layout.nodes.filter(({ layer }) => layer === 1).map(({ id }) => id);
    expect([corner(first)[1], walk(layout, first, "ArrowRight", "right")]).toEqual([corner(second)[1], second]);
    expect(walk(layout, second, "ArrowLeft", "right")).toBe(first);
    expect(walk(layout, first, "ArrowLeft", "right")).toBe("a");
    const below = walk(layout, second, "ArrowDown", "right");
    expect([corner(below)[0], walk(layout, below, "ArrowUp", "right")]).toEqual([corner(second)[0], second]);
    expect(walk(layout, first, "ArrowUp", "right")).toBeNull();
  });

  it("reaches every node", () => {
    const reached = new Set<string>();
    const open: (string | null)[] = ["a"];
    for (let from = open.pop(); from !== undefined; from = open.pop()) {
      if (from === null || reached.has(from)) continue;
      reached.add(from);
      for (const arrow of ["ArrowRight", "ArrowDown", "ArrowUp"] as const)
        open.push(walk(layout, from, arrow, "right"));
    }
    expect(reached.size).toBe(32);
  });
});

describe("viewports", () => {
  const pane = { width: 800, height: 400 };

  it("shows a small graph whole, a little larger and in the middle", () => {
    expect(openingViewport({ width: 400, height: 100 }, pane)).toEqual({ zoom: 1.2, x: 160, y: 140 });
  });

  it("shows the beginning of a graph that would be unreadable as a whole, and all of it on demand", () => {
    const wide = { width: 40_000, height: 200 };
    expect(openingViewport(wide, pane)).toMatchObject({ zoom: 0.6, x: 24 });
    expect(wholeViewport(wide, pane).zoom).toBe(ZOOM_MIN);
    expect(wholeViewport({ width: 1_504, height: 100 }, pane)).toMatchObject({ zoom: 0.5, x: 24 });
    // What is high leaves the switch above it free.
    expect(wholeViewport({ width: 100, height: 320 }, pane)).toMatchObject({ zoom: 1, y: 56 });
  });

  it("is far when cards are too small or too many to be read", () => {
    const cards = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        x: (index % 20) * 20,
        y: Math.floor(index / 20) * 20,
        width: 10,
        height: 10,
      }));
    const near = { x: 0, y: 0, zoom: 1 };
    const away = { ...near, zoom: 0.39 };
    expect([isFar(cards(60), away, pane, 300), isFar(cards(61), away, pane, 300)]).toEqual([false, true]);
    expect(isFar(cards(61), { ...near, zoom: 0.4 }, pane, 300)).toBe(false);
    expect([300, 301].map((count) => isFar(cards(count), near, pane, 300))).toEqual([false, true]);
    // Most of them are out of sight.
    expect(isFar(cards(301), { ...near, x: -300 }, pane, 300)).toBe(false);
  });

  it("finds what is under the pointer", () => {
    const boxes = [
      { id: "a", x: 0, y: 0, width: 10, height: 10 },
      { id: "b", x: 100, y: 0, width: 10, height: 10 },
    ];
    const viewport = { x: 50, y: 20, zoom: 0.5 };
    expect(boxAt(boxes, viewport, 102, 22)?.id).toBe("b");
    expect(boxAt(boxes, viewport, 80, 22)).toBeNull();
  });

  it("moves no further than needed", () => {
    const now = { x: 0, y: 0, zoom: 1 };
    expect(revealing({ x: 100, y: 100, width: 50, height: 50 }, now, pane)).toEqual(now);
    expect(revealing({ x: 900, y: 100, width: 50, height: 50 }, now, pane)).toEqual({ ...now, x: -174 });
    expect(revealing({ x: -100, y: 500, width: 50, height: 50 }, now, pane)).toEqual({ zoom: 1, x: 124, y: -174 });
  });
});

describe("cornerOf", () => {
  it("is where many begin that take the place of one", () => {
    const boxes = [
      { x: 0, y: 0, width: 10, height: 10 },
      { x: 20, y: 90, width: 10, height: 10 },
    ];
    expect(cornerOf(boxes)).toEqual({ x: 0, y: 0 });
    expect(cornerOf([])).toBeNull();
  });
});

describe("an opened layer", () => {
  const many = Array.from({ length: 400 }, (_, index) => `m${index}`);
  const node = (id: string, wave: number, parents: readonly string[]) => ({
    id,
    wave,
    phase: null,
    parents,
    instances: [],
  });
  const nodes = [node("a", 0, []), ...many.map((id) => node(id, 1, ["a"])), node("z", 2, many)];
  const drawn = (open: readonly string[], direction: "right" | "down") => {
    const { vertices, edges } = groupGraph(nodes, { open: new Set(open) });
    return layOut(
      vertices.map(({ id }) => ({ id, ...CARD })),
      edges,
      { direction, ...GAPS },
    );
  };
  /** The free space before and behind the middle layer, and how far its neighbours are from its centre line. */
  const around = ({ nodes: placed }: Layout, isRight: boolean) => {
    const spans = (layer: number, isAlong: boolean) => {
      const boxes = placed.filter((box) => box.layer === layer);
      const starts = boxes.map(({ x, y }) => (isAlong === isRight ? x : y));
      const size = isAlong === isRight ? CARD.width : CARD.height;
      return { from: Math.min(...starts), to: Math.max(...starts) + size };
    };
    const [before, middle, behind] = [0, 1, 2].map((layer) => spans(layer, true));
    const centres = [0, 1, 2].map((layer) => spans(layer, false)).map(({ from, to }) => (from + to) / 2);
    if (before === undefined || middle === undefined || behind === undefined) throw new Error("not drawn");
    return { gaps: [middle.from - before.to, behind.from - middle.to], centres };
  };

  it.each(["right", "down"] as const)("pushes its neighbours no further than its own cards need, %s", (direction) => {
    const isRight = direction === "right";
    const closed = around(drawn([], direction), isRight);
    const open = around(drawn(["waves:1-1"], direction), isRight);
    expect(closed.gaps).toEqual([GAPS.layerGap, GAPS.layerGap]);
    expect(open.gaps).toEqual(closed.gaps);
    // A neighbour stands beside a card of the middle row, so less than a card from the centre.
    for (const centre of open.centres) expect(Math.abs(centre - (open.centres[1] ?? 0))).toBeLessThan(CARD.height);
  });
});

describe("edgePath", () => {
  it("is straight along a layer and bent between layers", () => {
    const points = [
      { x: 0, y: 0 },
      { x: 60, y: 40 },
      { x: 160, y: 40 },
    ];
    expect(edgePath(points, "right")).toBe("M0 0C30 0 30 40 60 40L160 40");
    expect(
      edgePath(
        [
          { x: 0, y: 0 },
          { x: 40, y: 60 },
        ],
        "down",
      ),
    ).toBe("M0 0C0 30 40 30 40 60");
    expect(edgePath([], "down")).toBe("");
  });
});

describe("status counts", () => {
  const [blank] = createView({ nodes: [box("x")].map(({ id }) => ({ id, label: id, wave: 0 })) }).nodes.values();
  const statuses: Record<string, NodeView["status"]> = { a: "completed", b: "failed", c: "completed" };
  const node = (id: string): NodeView | undefined => {
    const status = statuses[id];
    return status === undefined || blank === undefined ? undefined : { ...blank, id, status };
  };

  it("counts, and puts first what needs attention", () => {
    const text = countsText(["a", "b", "c", "unknown"], node);
    expect(text).toBe("pending 1,completed 2,failed 1");
    expect(readCounts(text).get("completed")).toBe(2);
    expect(urgentOf(readCounts(text))).toBe("failed");
    expect([readCounts("").size, urgentOf(readCounts(""))]).toEqual([0, "pending"]);
    const handled = (id: string) => {
      const view = node(id);
      return view === undefined ? undefined : { ...view, isHandled: view.status === "failed" };
    };
    expect(countsText(["a", "b", "c"], handled)).toBe("completed 2,handled 1");
  });
});

describe("graphNodesOf", () => {
  it("takes labels and instances from the run", () => {
    const plan = {
      name: "w",
      format: "lobsterx",
      nodes: [{ id: "a", label: "a", kind: "agent", phase: null, dependsOn: [], dependents: [], wave: 0 }],
      layers: [["a"]],
    };
    expect(graphNodesOf(plan)).toEqual([
      { id: "a", label: "a", kind: "agent", wave: 0, phase: null, parents: [], instances: [] },
    ]);
    const more = { labels: new Map([["a", "Ask"]]), instances: new Map([["a", ["a[0]"]]]) };
    expect(graphNodesOf(plan, more)[0]).toMatchObject({ label: "Ask", instances: ["a[0]"] });
  });
});
