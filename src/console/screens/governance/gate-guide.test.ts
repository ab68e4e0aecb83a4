import { describe, expect, it } from "vitest";
import { DISPATCH_GATES, LAUNCH_GATES } from "../../../core/governance/index.ts";
import { gateGuide } from "./gate-guide.ts";

describe("guide to the gates", () => {
  it.each([
    ["dispatch", DISPATCH_GATES],
    ["launch", LAUNCH_GATES],
  ] as const)("has a story for every gate of a %s", (_, gates) => {
    for (const story of gateGuide(gates)) expect(story.unblocks, story.name).not.toBe("");
    expect(gateGuide(gates).map(({ name }) => name)).toEqual(gates.map(({ name }) => name));
  });
});
