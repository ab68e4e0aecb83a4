import { describe, expect, it } from "vitest";
import { layOut } from "./index.ts";

const OPTIONS = { direction: "right", nodeGap: 20, layerGap: 60 } as const;
const box = (id: string) => ({ id, width: 100, height: 40 });
const edge = (text: string) => {
  const [source = "", target = ""] = text.split(">");
  return { source, target };
};

describe("layOut", () => {
  it("places nothing for nothing", () => {
    expect(layOut([], [], OPTIONS)).toEqual({ nodes: [], edges: [], width: 0, height: 0 });
  });

  it("puts a chain on one line", () => {
    const { nodes, width, height } = layOut(["a", "b", "c"].map(box), ["a>b", "b>c"].map(edge), OPTIONS);
    expect(nodes.map(({ x, y }) => [x, y])).toEqual([
      [0, 0],
      [160, 0],
      [320, 0],
    ]);
    expect([width, height]).toEqual([420, 40]);
  });

  it("centres a diamond and turns it when the layers go down", () => {
    const nodes = ["a", "b", "c", "d"].map(box);
    const edges = ["a>b", "a>c", "b>d", "c>d"].map(edge);
    const right = layOut(nodes, edges, OPTIONS);
    expect(Object.fromEntries(right.nodes.map(({ id, x, y }) => [id, [x, y]]))).toEqual({
      a: [0, 30],
      b: [160, 0],
      c: [160, 60],
      d: [320, 30],
    });
    const down = layOut(nodes, edges, { ...OPTIONS, direction: "down" });
    expect(Object.fromEntries(down.nodes.map(({ id, x, y }) => [id, [x, y]]))).toEqual({
      a: [60, 0],
      b: [0, 100],
      c: [120, 100],
      d: [60, 200],
    });
  });

  it("untangles what can be drawn without crossings", () => {
    const { nodes } = layOut(["a", "b", "x", "y"].map(box), ["a>y", "b>x"].map(edge), OPTIONS);
    const y = Object.fromEntries(nodes.map((node) => [node.id, node.y]));
    expect(Math.sign((y["a"] ?? 0) - (y["b"] ?? 0))).toBe(Math.sign((y["y"] ?? 0) - (y["x"] ?? 0)));
  });

  it("leads a long edge past the nodes between", () => {
    const { nodes, edges } = layOut(["a", "b", "c"].map(box), ["a>b", "b>c", "a>c"].map(edge), OPTIONS);
    const between = nodes.find(({ id }) => id === "b");
    const long = edges.find(({ source, target }) => source === "a" && target === "c");
    expect(long?.points).toHaveLength(4);
    for (const { y } of long?.points.slice(1, 3) ?? []) {
      expect(y < (between?.y ?? 0) || y > (between?.y ?? 0) + 40).toBe(true);
    }
  });

  it("leaves out edges that lead nowhere, and counts one named twice once", () => {
    const { edges } = layOut(["a", "b"].map(box), ["a>b", "a>b", "a>gone", "gone>b"].map(edge), OPTIONS);
    expect(edges.map(({ source, target }) => `${source}>${target}`)).toEqual(["a>b"]);
  });

  it("draws long edges straight when there are too many of them", () => {
    const count = 130;
    const nodes = Array.from({ length: count }, (_, index) => box(`n${String(index).padStart(3, "0")}`));
    const all = nodes.flatMap(({ id: source }, index) =>
      nodes.slice(index + 1).map(({ id: target }) => ({ source, target })),
    );
    const { edges } = layOut(nodes, all, OPTIONS);
    expect(edges).toHaveLength((count * (count - 1)) / 2);
    expect(edges.every(({ points }) => points.length === 2)).toBe(true);
  });

  it("refuses a cycle", () => {
    expect(() => layOut(["a", "b"].map(box), ["a>b", "b>a"].map(edge), OPTIONS)).toThrow("has no cycle");
  });
});
