import { describe, expect, it } from "vitest";
import { digestText } from "../core/base/index.ts";
import { readWorkflow } from "./index.ts";

describe("a workflow read in a page", () => {
  it("is a plan and the digest of its text", () => {
    const source = "name: w\nsteps:\n  - { id: a, command: A }\n";
    const { plan, hash, problems } = readWorkflow(source);
    expect([plan?.name, hash, problems]).toEqual(["w", digestText(source), []]);
  });

  it("is its problems when it has any", () => {
    const { plan, problems } = readWorkflow("name: w\nsteps: []\n");
    expect(plan).toBeNull();
    expect(problems.length).toBeGreaterThan(0);
  });
});
