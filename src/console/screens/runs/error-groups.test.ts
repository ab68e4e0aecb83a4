import { describe, expect, it } from "vitest";
import type { Run } from "../../../client/index.ts";
import { groupByError } from "./error-groups.ts";

const run = (workflow: string, code: string | null, message?: string): Run =>
  ({ workflow, ...(message === undefined ? {} : { error: { code, message } }) }) as Run;

describe("runs by error", () => {
  it("are together when they differ only in particulars, most frequent first", () => {
    const groups = groupByError([
      run("order", "provider_error", "charge failed: order 4711 got HTTP 503"),
      run("hello", null),
      run("nightly", "run_timeout", "It took longer than 60 s"),
      run("refund", "provider_error", "charge failed: order 9 got HTTP 503"),
    ]);
    expect(groups.map(({ code, runs, workflows }) => [code, runs.length, workflows])).toEqual([
      ["provider_error", 2, ["order", "refund"]],
      ["run_timeout", 1, ["nightly"]],
    ]);
    expect(groups[0]?.message).toContain("4711");
  });
});
