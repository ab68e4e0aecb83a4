import { describe, expect, it } from "vitest";
import { parseOverride } from "./override.ts";

describe("parseOverride", () => {
  it.each([
    ["", []],
    ["plain", ["plain"]],
    ["[[draft.tone]]", [{ nodeId: "draft", path: "tone" }]],
    ["[[ draft.data.items[0].x ]]", [{ nodeId: "draft", path: "data.items[0].x" }]],
    ["[[draft.items[0]]]", [{ nodeId: "draft", path: "items[0]" }]],
    ["[[A-1.output]]", [{ nodeId: "A-1", path: "output" }]],
    [
      "Be [[a.tone]], not [[b.tone]]!",
      ["Be ", { nodeId: "a", path: "tone" }, ", not ", { nodeId: "b", path: "tone" }, "!"],
    ],
    ["[[label]] and [[a.b]]", ["[[label]] and ", { nodeId: "a", path: "b" }]],
    ["[[label!]] [[label:type]] {{a.b}}", ["[[label!]] [[label:type]] {{a.b}}"]],
    ["[[a.]] [[.b]] [[a..b]] [[a.b.]] [[a.b[x]]]", ["[[a.]] [[.b]] [[a..b]] [[a.b.]] [[a.b[x]]]"]],
    ["[[a.b", ["[[a.b"]],
    ["[[[a.b]]]", ["[", { nodeId: "a", path: "b" }, "]"]],
    ["[[a.__proto__]]", [{ nodeId: "a", path: "__proto__" }]],
    ["$& [[Dear Sir. Hello]]", ["$& [[Dear Sir. Hello]]"]],
  ])("%s", (text, parts) => {
    expect(parseOverride(text)).toEqual({ text, parts });
  });
});
