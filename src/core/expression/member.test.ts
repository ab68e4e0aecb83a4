import { describe, expect, it } from "vitest";
import { matchMember } from "./member.ts";

describe("matchMember", () => {
  it.each([
    ["APPROVED", ["APPROVED"], "APPROVED"],
    ["  APPROVED\n", ["APPROVED"], "APPROVED"],
    ["APPROVED because", ["APPROVED"], "APPROVED"],
    ["APPROVED\tbecause", ["APPROVED"], "APPROVED"],
    ["APPROVED\nbecause", ["APPROVED"], "APPROVED"],
    ["APPROVED.", ["APPROVED"], "APPROVED"],
    ["APPROVED, yes", ["APPROVED"], "APPROVED"],
    ["APPROVED: yes", ["APPROVED"], "APPROVED"],
    ["APPROVED; yes", ["APPROVED"], "APPROVED"],
    ["APPROVED-ish", ["APPROVED"], "APPROVED"],
    ["APPROVED–yes", ["APPROVED"], "APPROVED"],
    ["APPROVED—yes", ["APPROVED"], "APPROVED"],
    ["APPROVED(yes)", ["APPROVED"], "APPROVED"],
    ["needs_remediation -- missing", ["acceptable", "needs_remediation"], "needs_remediation"],
    ["NOT READY yet", ["NOT", "NOT READY", "READY"], "NOT READY"],
    ["NOT READY yet", ["NOT READY", "NOT"], "NOT READY"],
    ["a.b.c", ["a", "a.b"], "a.b"],
    ["", ["", "a"], ""],
    ["  ", [""], ""],
  ])("%j in %j is %j", (value, members, member) => {
    expect(matchMember(value, members)).toBe(member);
  });

  it.each([
    ["APPROVED_FALSE", ["APPROVED"]],
    ["COMPLETED", ["COMPLETE"]],
    ["APPROVED!", ["APPROVED"]],
    ["APPROVED)", ["APPROVED"]],
    ["APPROVED/x", ["APPROVED"]],
    ["APPROVED1", ["APPROVED"]],
    ["approved", ["APPROVED"]],
    ["is APPROVED", ["APPROVED"]],
    ["APP", ["APPROVED"]],
    ["- x", ["", "x"]],
    ["x", []],
    ["constructor", ["toString"]],
  ])("%j is none of %j", (value, members) => {
    expect(matchMember(value, members)).toBeUndefined();
  });
});
