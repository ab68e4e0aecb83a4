import { describe, expect, it } from "vitest";
import { blocksOf } from "./markdown-blocks.ts";
import { inlinesOf } from "./markdown-inline.ts";

describe("blocks of Markdown", () => {
  it("are headings, paragraphs, lists, quotes, code, tables and rules", () => {
    const text =
      "# Pay #\n\nto **Ann**\nnow\n- one\n  - two\n1. first\n\n> said\n> so\n```\n<b>\n```\n|a|b|\n|-|:-:|\n|1|\n***\n";
    expect(blocksOf(text)).toEqual([
      { kind: "heading", level: 1, text: "Pay" },
      { kind: "paragraph", text: "to **Ann**\nnow" },
      {
        kind: "list",
        isOrdered: false,
        items: [
          { depth: 0, number: null, text: "one" },
          { depth: 1, number: null, text: "two" },
        ],
      },
      { kind: "list", isOrdered: true, items: [{ depth: 0, number: 1, text: "first" }] },
      { kind: "quote", text: "said\nso" },
      { kind: "code", text: "<b>" },
      { kind: "table", head: ["a", "b"], rows: [["1"]] },
      { kind: "rule" },
    ]);
  });

  it("keep what is not closed, and HTML as text", () => {
    expect(blocksOf("```\nrm -rf /")).toEqual([{ kind: "code", text: "rm -rf /" }]);
    expect(blocksOf("<script>alert(1)</script>")).toEqual([{ kind: "paragraph", text: "<script>alert(1)</script>" }]);
  });
});

describe("lists", () => {
  const listsOf = (text: string): readonly (readonly (number | null | string)[])[] =>
    blocksOf(text).map((block) =>
      block.kind === "list" ? block.items.flatMap(({ number, text: said }) => [number, said]) : [block.kind],
    );

  it("keep their numbers, also with empty lines and other lists between them", () => {
    expect(listsOf("1. ask\n\n2. pay\n\n   at once\n3. write")).toEqual([[1, "ask", 2, "pay\n\nat once", 3, "write"]]);
    expect(listsOf("1. ask\n   - Ann\n   - Bob\n2. pay")).toEqual([
      [1, "ask"],
      [null, "Ann", null, "Bob"],
      [2, "pay"],
    ]);
    expect(listsOf("7. pay\n\nNow")).toEqual([[7, "pay"], ["paragraph"]]);
  });

  it("may have code between their items", () => {
    expect(blocksOf("1. run\n    ```sh\n    rm\n      -r x\n    ```\n2. look")).toEqual([
      { kind: "list", isOrdered: true, items: [{ depth: 0, number: 1, text: "run" }] },
      { kind: "code", text: "rm\n  -r x" },
      { kind: "list", isOrdered: true, items: [{ depth: 0, number: 2, text: "look" }] },
    ]);
  });
});

describe("tables", () => {
  it("follow a text without an empty line, and keep every cell that was written", () => {
    expect(blocksOf("These:\n| a | b\\|c |\n|---|---|\n| 1 | 2 | 3 |")).toEqual([
      { kind: "paragraph", text: "These:" },
      { kind: "table", head: ["a", "b|c"], rows: [["1", "2", "3"]] },
    ]);
  });

  it("need as many cells below the head as in it", () => {
    expect(blocksOf("a | b\n---\nc")).toMatchObject([{ kind: "paragraph" }, { kind: "rule" }, { kind: "paragraph" }]);
  });
});

describe("text within a block", () => {
  it("may have backticks in its code", () => {
    expect(inlinesOf("`` a`b `` ```c``` `d")).toEqual([
      { kind: "code", text: " a`b " },
      { kind: "text", text: " " },
      { kind: "code", text: "c" },
      { kind: "text", text: " `d" },
    ]);
    expect(blocksOf("```now``` and\nthen")).toEqual([{ kind: "paragraph", text: "```now``` and\nthen" }]);
  });

  it("is bold, emphasised, code, a link or an image", () => {
    expect(inlinesOf("a **b *c*** `d` [e](javascript:alert(1)) ![f](http://x/y.png) snake_case_name \\*g")).toEqual([
      { kind: "text", text: "a " },
      {
        kind: "strong",
        parts: [{ kind: "text", text: "b *c" }],
      },
      { kind: "text", text: "* " },
      { kind: "code", text: "d" },
      { kind: "text", text: " " },
      { kind: "link", text: "e", address: "javascript:alert(1" },
      { kind: "text", text: ") " },
      { kind: "image", text: "f", address: "http://x/y.png" },
      { kind: "text", text: " snake_case_name *g" },
    ]);
  });

  it("of any length and nesting is read to its end", () => {
    for (const part of ["**", "[", "![", "`", "](", "*_", "**a", "[a]("]) {
      const text = part.repeat(20_000);
      expect(JSON.stringify(inlinesOf(text)).length, part).toBeGreaterThan(10);
    }
  });

  it("is read to its end also where every part of it begins something that never ends", () => {
    const many = 100_000;
    for (const text of [
      `a|b\n${" ".repeat(many)}x`,
      `# ${" ".repeat(many)}x`,
      `# ${"#".repeat(many)}x`,
      "```\n".repeat(many),
      `${"[a".repeat(many)}](x)`,
      `${"`".repeat(many)}x`,
    ]) {
      const blocks = blocksOf(text);
      for (const block of blocks) if ("text" in block) inlinesOf(block.text);
      expect(blocks.length).toBeGreaterThan(0);
    }
  });
});
