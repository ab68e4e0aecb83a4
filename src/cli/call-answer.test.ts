import { describe, expect, it } from "vitest";
import type { Approval } from "../client/index.ts";
import type { Decision } from "../core/event/index.ts";
import { callChanges, type CallOptions, editableArgs } from "./call-answer.ts";

const HELD: readonly Decision[] = ["approve", "reject", "abort"];
const UNKNOWN: readonly Decision[] = ["approve", "retry", "reject", "abort"];

function asked(choices: readonly Decision[], args: object | null = { order: 7, amount: 900 }): Approval {
  const call = { tool: "refund", server: null, args, action: "financial", round: 1, words: "" };
  return { id: "apr_1", choices, subject: args === null ? {} : { call } } as unknown as Approval;
}

describe("an answer about a tool call", () => {
  it("may change the args, or give the result of a call that never reported", () => {
    expect(callChanges(asked(HELD), "approve", {})).toBeNull();
    expect(callChanges(asked(HELD), "approve", { args: '{"amount":450}' })).toEqual({ args: { amount: 450 } });
    expect(callChanges(asked(UNKNOWN), "approve", { result: "null" })).toEqual({ result: null });
    expect(callChanges(asked(UNKNOWN), "retry", {})).toBeNull();
    expect(callChanges(asked(["approve", "reject"], null), "approve", {})).toBeNull();
  });

  it.each<[string, Approval, CallOptions, RegExp]>([
    ["no call", asked(HELD, null), { args: "{}" }, /not about a tool call/],
    ["no JSON", asked(HELD), { args: "{amount: 450}" }, /--args .* is not JSON/],
    ["no object", asked(HELD), { args: "450" }, /write an object/],
    ["a result of what was not made", asked(HELD), { result: "1" }, /has not been made/],
    ["args of what may have been made", asked(UNKNOWN), { args: "{}" }, /may have been made/],
    ["both", asked(UNKNOWN), { args: "{}", result: "1" }, /exclude each other/],
    ["no result of what was made", asked(UNKNOWN), {}, /give what it returned with --result/],
  ])("is refused with the reason: %s", (_, approval, options, reason) => {
    expect(() => callChanges(approval, "approve", options)).toThrow(reason);
  });

  it("is edited only where all args are known here: what is sent replaces all of them", () => {
    expect(editableArgs(asked(HELD))).toEqual({ order: 7, amount: 900 });
    const large = { $ref: "call.args.text", bytes: 70_000, sha256: "0", preview: "x" };
    expect(() => editableArgs(asked(HELD, { text: large, to: "ann" }))).toThrow(/text cannot be shown whole/);
    expect(() => editableArgs(asked(HELD, { auth: "[hidden: bearer token]" }))).toThrow(/auth cannot be shown whole/);
    expect(() => editableArgs(asked(UNKNOWN))).toThrow(/--result JSON/);
  });
});
