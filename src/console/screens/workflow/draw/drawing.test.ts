import { describe, expect, it } from "vitest";
import { type Outline, readOutline } from "../../../../core/edit/index.ts";
import { addTo, connecting, insertBetween } from "./adding.ts";
import { drawingOf, keyAtLine } from "./drawing.ts";
import { marksOf, placeProblems, segmentsOfPath } from "./placed-problems.ts";
import { referencesFor } from "./reference-offers.ts";
import { TextHistory } from "./text-history.ts";

const SOURCE = `name: a
args: { list: [] }
steps:
  - id: fetch
    command: Fetch
  - id: each
    for_each: list
    as: one
    steps:
      - { id: look, command: "Look at \${one}", outputs: { kind: string } }
      - id: pick
        choose:
          - when: look.kind == 'x'
            steps: [{ id: pay, command: Pay }]
          - else: []
  - { id: circle, command: "\${square.stdout}" }
  - { id: square, command: "\${circle.stdout}" }
finally:
  - { id: tidy, command: Tidy }
`;

function outline(): Outline {
  const read = readOutline(SOURCE);
  if (read === null) throw new Error("not read");
  return read;
}

describe("the drawing of a text", () => {
  const drawing = drawingOf(outline(), new Set());

  it("shows blocks inside their steps, and branches as rows", () => {
    expect([...drawing.byKey.keys()].sort()).toEqual(
      [
        "circle",
        "each",
        "each/look",
        "each/pick",
        "each/pick/0.pay",
        "each/pick/branch.0",
        "each/pick/branch.1",
        "fetch",
        "finally",
        "finally/tidy",
        "square",
      ].sort(),
    );
    expect(drawing.insides.get("each/pick")?.nodes.map(({ id, parents }) => [id, parents])).toEqual([
      ["branch.0", []],
      ["0.pay", ["branch.0"]],
      ["branch.1", []],
    ]);
    expect(drawingOf(outline(), new Set(["each"])).insides.has("each")).toBe(false);
  });

  it("draws steps in a circle as well", () => {
    const [circle, square] = [
      drawing.nodes.find(({ id }) => id === "circle"),
      drawing.nodes.find(({ id }) => id === "square"),
    ];
    expect((circle?.parents.length ?? 0) + (square?.parents.length ?? 0)).toBe(1);
  });

  it("finds the innermost step of a line", () => {
    expect(keyAtLine(drawing, 10)).toBe("each/look");
    expect(keyAtLine(drawing, 13)).toBe("each/pick");
    expect(keyAtLine(drawing, 1)).toBeNull();
  });

  it("puts a new step where it is missing, or behind what is selected", () => {
    const { main } = outline();
    const step = { id: "new", command: "" };
    expect(addTo(null, main, step)).toMatchObject({ list: ["steps"], after: "square" });
    expect(addTo(drawing.byKey.get("fetch") ?? null, main, step)).toMatchObject({ list: ["steps"], after: "fetch" });
    const other = ["steps", 1, "steps", 1, "choose", 1, "else"];
    expect(addTo(drawing.byKey.get("each/pick") ?? null, main, step)).toMatchObject({ list: other, after: null });
    const branch = addTo(drawing.byKey.get("each/pick/branch.0") ?? null, main, step);
    expect(branch).toMatchObject({ list: ["steps", 1, "steps", 1, "choose", 0, "steps"], after: "pay" });
    expect(insertBetween(drawing, "fetch", "each", step)).toMatchObject({ kind: "insert", from: "fetch", to: "each" });
  });

  it("connects steps of one list only", () => {
    expect(connecting(drawing, "fetch", "each")).toMatchObject({ kind: "connect", from: "fetch", to: "each" });
    expect(connecting(drawing, "fetch", "each/look")).toContain("connect the block itself");
  });

  it("offers what a step may read", () => {
    const offered = referencesFor(outline(), drawing.byKey.get("each/pick/0.pay") ?? null).map(({ path }) => path);
    expect(offered).toEqual(expect.arrayContaining(["list", "one", "look.kind", "look.stdout", "fetch.stdout"]));
    expect(offered).not.toContain("pay.stdout");
  });

  it("puts problems at cards and fields", () => {
    expect(segmentsOfPath("steps[1].steps[0].command")).toEqual(["steps", 1, "steps", 0, "command"]);
    const problem = { severity: "error", code: "x", message: "m", line: 1, column: 1 } as const;
    const placed = placeProblems(
      [
        { ...problem, path: "steps[1].steps[0].command" },
        { ...problem, path: "name" },
      ],
      drawing,
    );
    expect(placed.map(({ key }) => key)).toEqual(["each/look", null]);
    expect([...marksOf(placed)]).toEqual([["each/look", { tone: "bad", text: "m", count: 1 }]]);
  });
});

describe("one past for both views", () => {
  it("takes letters typed together back together, and restores every text to the letter", () => {
    const history = new TextHistory("a");
    history.put("ab", 0, true);
    history.put("abc", 100, true);
    history.put("drawn", 200, false);
    history.put("drawn!", 5_000, true);
    expect([history.undo(), history.undo(), history.undo(), history.undo()]).toEqual(["drawn", "abc", "a", "a"]);
    expect([history.redo(), history.redo(), history.redo()]).toEqual(["abc", "drawn", "drawn!"]);
    history.undo();
    history.put("other", 9_000, false);
    expect(history.canRedo).toBe(false);
  });
});
