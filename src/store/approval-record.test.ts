import { describe, expect, it } from "vitest";
import { approval } from "../../test/contracts/shares.ts";
import { readApproval } from "./approval-record.ts";

describe("a kept approval", () => {
  it("is read as it was kept", () => {
    const kept = approval("apr_1", "run_1", { quorum: 3, hop: 1, entered: { n: 1 } });
    expect(readApproval(JSON.stringify(kept))).toEqual(kept);
  });

  it("from before there were subjects is one person's to answer, and is called by what it asks", () => {
    const now = approval("apr_1", "run_1");
    const { workflow: _w, title: _t, subject: _s, subjectDigest: _d, quorum: _q, answers: _a, ...rest } = now;
    const { hop: _h, form: _f, entered: _e, confirm: _c, assignee: _g, ...before } = rest;
    expect(readApproval(JSON.stringify(before))).toEqual({ ...now, workflow: null, title: "May it?" });
  });
});
