import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { play } from "../../../test/own/play.ts";
import { DEMO_SCRIPT } from "./script.ts";
import { DEMO_WORKFLOWS } from "./workflows.ts";

describe.each(DEMO_WORKFLOWS)("the demo workflow $name", ({ name, example, source }) => {
  it("is the example under another name, and needs no args", () => {
    const text = readFileSync(new URL(`../../../examples/${example}`, import.meta.url), "utf8");
    const expected = text
      .split("\n")
      .filter((line) => !line.startsWith("#"))
      .join("\n")
      .replace(/^name: .*$/m, `name: ${name}`)
      .replace("city: { type: string, required: true,", "city: { type: string, default: Lisbon,");
    expect(source).toBe(expected);
  });

  it("runs to its end on the demo script, which knows all its nodes", async () => {
    const { state } = await play(source, {
      script: DEMO_SCRIPT,
      answer: async () => ({ decision: "approve", by: "user:test" }),
    });
    expect(state.status).toBe("completed");
    const keys = [...DEMO_SCRIPT.nodes.keys()].filter((key) => key.startsWith(`${name}/`));
    const scripted = new Set(keys.map((key) => key.slice(name.length + 1).replace(/\[.*$/, "")));
    const answered = state.plan.nodes.filter(({ kind }) => kind !== "gate").map(({ id }) => id);
    expect(scripted).toEqual(new Set(answered));
  });
});
