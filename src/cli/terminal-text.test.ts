import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatTable } from "./table.ts";
import { blanked, clip, oneLine, pad, printable, widthOf } from "./terminal-text.ts";

describe("text for a terminal", () => {
  it("shows what would steer the terminal instead of obeying it", () => {
    expect(printable("a\u001b[2Jb\u0007\r\nc\td\u202e")).toBe("a\\u001b[2Jb\\u0007\nc\td\\u202e");
    expect(printable("a\u200bb\u2060c\u061cd\ufeff")).toBe("a\\u200bb\\u2060c\\u061cd\\ufeff");
    expect(oneLine(" a\n\n b\u0000 ")).toBe("a b\\u0000");
    expect(blanked("a\u001b\tb")).toBe("a  b");
  });

  it("clips to columns, not to characters", () => {
    expect(clip("harbour", 7)).toBe("harbour");
    expect(clip("harbour", 6)).toBe("harbo…");
    expect(clip("港口報告", 8)).toBe("港口報告");
    expect(clip("港口報告", 7)).toBe("港口報…");
    expect(clip("x", 0)).toBe("");
    expect(pad("港", 4)).toBe("港  ");
  });

  it("never exceeds its columns and never lets a control character through", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(40), (text, columns) => {
        expect(widthOf(clip(oneLine(text), columns))).toBeLessThanOrEqual(columns);
        expect(printable(text)).not.toMatch(/[^\P{Cc}\t\n]/u);
      }),
      { numRuns: 500 },
    );
  });

  it("lines up a table", () => {
    expect(
      formatTable([
        ["NODE", "COST"],
        ["港口", "–"],
        ["a", ""],
      ]),
    ).toBe("NODE  COST\n港口  –\na\n");
  });
});
