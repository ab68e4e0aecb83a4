import { describe, expect, it } from "vitest";
import { checkSource } from "./index.ts";

const check = (step: string) =>
  checkSource(`name: w\nargs: { account: a, people: { type: array, default: [x] } }\nsteps:\n  - ${step}\n`, {
    library: null,
    lenses: null,
    workflows: null,
  });
const block = (key: string, more = "") =>
  check(`{ id: b, ${more}concurrency: { key: "${key}" }, steps: [{ id: s, command: "x \${people} \${account}" }] }`);

describe("concurrency of a block", () => {
  it("counts under what the key is, and is given what only the key reads", () => {
    const { plan, problems } = block("account + person", "for_each: people, as: person, ");
    expect(problems).toEqual([]);
    const inside = plan?.blocks.get("b");
    expect(inside?.concurrency).toMatchObject({ limit: 1, whenFull: "queue" });
    expect(Object.keys(inside?.args ?? {}).sort()).toEqual(["account", "people", "person"]);
    expect(plan?.concurrency).toBeNull();
  });

  it("sees nothing inside", () => {
    expect(block("s.stdout").problems).toMatchObject([{ code: "unknown_step", path: "steps[0].concurrency.key" }]);
  });

  it("needs a key, and a block", () => {
    const empty = check("{ id: b, concurrency: { limit: 2 }, steps: [{ id: s, command: x }] }");
    expect(empty.problems).toMatchObject([{ code: "bad_concurrency" }]);
    expect(check("{ id: b, concurrency: { key: account }, command: x }").problems).toMatchObject([
      { code: "unknown_key", path: "steps[0].concurrency" },
    ]);
  });
});
