import { describe, expect, it } from "vitest";
import { copyOf } from "./copy-of.ts";

describe("a copy of a workflow", () => {
  it("has another name, and all else as it was written", () => {
    const rest = `# a comment
steps:
  - id: a
    command: x
    set: { "name": "Ada" }
  - { id: b, "name": "second", command: y }
`;
    expect(copyOf(`name: greet\n${rest}`, "greet")).toBe(`name: greet-copy\n${rest}`);
    expect(copyOf(`"name": "greet"\n${rest}`, "greet")).toBe(`"name": greet-copy\n${rest}`);
  });

  it("has another name in JSON too, wherever the name stands", () => {
    const definition = { steps: [{ id: "a", name: "first", command: "name: x" }], name: "greet" };
    const copied = { ...definition, name: "greet-copy" };
    expect(JSON.parse(copyOf(JSON.stringify(definition), "greet"))).toEqual(copied);
    expect(JSON.parse(copyOf(JSON.stringify(definition, null, 2), "greet"))).toEqual(copied);
  });
});
