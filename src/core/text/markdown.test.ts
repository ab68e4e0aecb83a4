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
          { depth: 0, text: "one" },
          { depth: 1, text: "two" },
          { depth: 0, text: "first" },
        ],
      },
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

describe("text within a block", () => {
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
});
