import { describe, expect, it } from "vitest";
import { DISPATCH_GATES, LAUNCH_GATES, ROUND_GATES, TOOL_GATES } from "../../../core/governance/index.ts";
import { gateGuide } from "./gate-guide.ts";

describe("guide to the gates", () => {
  it.each([
    ["dispatch", DISPATCH_GATES],
    ["launch", LAUNCH_GATES],
    ["tool call", TOOL_GATES],
    ["round", ROUND_GATES],
  ] as const)("has an entry for every gate of a %s", (_, gates) => {
    for (const entry of gateGuide(gates)) {
      expect(entry.fix, entry.name).not.toBe("");
      expect(entry.question, entry.name).not.toBe(entry.name);
    }
    expect(gateGuide(gates).map(({ name }) => name)).toEqual(gates.map(({ name }) => name));
  });
});
