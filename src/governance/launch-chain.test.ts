import { describe, expect, it } from "vitest";
import { launchApproval } from "../../test/governance/launch-approval.ts";
import { ANYONE, type Approver, type Otherwise } from "../core/definition/index.ts";
import type { LaunchApproval } from "../store/index.ts";
import { moveLaunch } from "./launch-chain.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const AT = 1_000_000;

interface Rule {
  readonly approvers?: readonly Approver[];
  readonly otherwise?: Otherwise | null;
  readonly expiresMs?: number;
}

function asked({ approvers = [], otherwise = null, expiresMs = 7 * DAY }: Rule = {}): LaunchApproval {
  return launchApproval({ ...ANYONE, approvers, otherwise, expiresMs }, AT);
}

/** What becomes of it when it is looked at exactly when something is due. */
function life(start: LaunchApproval): readonly string[] {
  const moves: string[] = [];
  let approval = start;
  for (let steps = 0; approval.status === "pending"; steps += 1) {
    if (steps > 20) throw new Error("it never ends");
    const { dueAt = 0 } = approval.chain ?? {};
    expect(moveLaunch(approval, dueAt - 1)).toBeNull();
    const next = moveLaunch(approval, dueAt);
    if (next === null) throw new Error("nothing is due when it should be");
    const { move, after } = next;
    const what =
      move.kind === "reminded" ? move.urgency : move.kind === "escalated" ? `${move.hop} ${move.who}` : move.kind;
    moves.push(`${(dueAt - AT) / HOUR} h: ${what}${after.status === "pending" ? "" : ` ${after.status}`}`);
    expect(after.chain?.steps).toBe((approval.chain?.steps ?? 0) + 1);
    approval = after;
  }
  return moves;
}

const who = (name: string, withinMs: number | null): Approver => ({ who: name, withinMs });

describe("an approval of a launch without an answer", () => {
  it("asks approvers without a time of their own together with the next", () => {
    const start = asked({
      approvers: [who("user:ann", null), who("user:bob", HOUR), who("user:eve", null), who("user:zoe", null)],
    });
    expect(start.chain?.hop).toBe(1);
    const [first, second] = life(start).filter((move) => move.includes("user:"));
    expect([first, second]).toEqual(["1 h: 2 user:eve", "1 h: 3 user:zoe"]);
  });

  it("is reminded of after an hour, a day and three days, and expires after seven", () => {
    expect(life(asked())).toEqual(["1 h: normal", "24 h: elevated", "72 h: critical", "168 h: resolved expired"]);
  });

  it.each([
    [HOUR, ["1 h: resolved expired"]],
    [HOUR + 1, ["1 h: normal", `${(HOUR + 1) / HOUR} h: resolved expired`]],
    [DAY, ["1 h: normal", "24 h: resolved expired"]],
  ])("is reminded of only before its end: %i ms", (expiresMs, moves) => {
    expect(life(asked({ expiresMs }))).toEqual(moves);
  });

  it("goes from one approver to the next, each with their time, and then does what the chain defines", () => {
    const approvers = [who("role:lead", 2 * HOUR), who("team:ops", 3 * HOUR), who("user:ann", 20 * HOUR)];
    const hops = ["1 h: normal", "2 h: 1 team:ops", "5 h: 2 user:ann", "24 h: elevated"];
    expect(life(asked({ approvers, otherwise: "reject" }))).toEqual([...hops, "25 h: resolved rejected"]);
    expect(life(asked({ approvers, otherwise: "approve" })).at(-1)).toBe("25 h: resolved approved");
    expect(life(asked({ approvers }))).toEqual([...hops, "25 h: waiting", "72 h: critical", "168 h: resolved expired"]);
  });

  it("waits at the last approver who has all the time there is", () => {
    const approvers = [who("role:lead", 2 * HOUR), who("team:ops", null)];
    expect(life(asked({ approvers, expiresMs: DAY, otherwise: "abort" }))).toEqual([
      "1 h: normal",
      "2 h: 1 team:ops",
      "24 h: resolved rejected",
    ]);
  });

  it.each([
    ["approve", "approved"],
    ["reject", "rejected"],
    ["abort", "rejected"],
    ["skip", "rejected"],
  ] as const)("with otherwise %s is %s, by Sluice itself", (otherwise, status) => {
    const approval = asked({ approvers: [who("role:lead", HOUR / 2)], otherwise });
    const after = moveLaunch(approval, AT + HOUR / 2)?.after;
    expect(after).toMatchObject({
      status,
      choice: otherwise,
      resolvedBy: "sluice",
      resolvedAt: AT + HOUR / 2,
      reason: "no answer in time",
      expiresAt: AT + 7 * DAY,
    });
  });

  it("approved at its very end is good for as long again, else it were good for nothing", () => {
    const approval = { ...asked({ otherwise: "approve", expiresMs: HOUR }) };
    const late = AT + 5 * HOUR;
    expect(moveLaunch(approval, late)?.after).toMatchObject({ status: "approved", expiresAt: late + HOUR });
  });

  it("of an earlier version, which kept no chain, is looked after like any other", () => {
    const { chain: _, ...old } = asked({ approvers: [who("role:lead", 2 * HOUR), who("team:ops", null)] });
    expect(moveLaunch(old, AT + HOUR - 1)).toBeNull();
    expect(moveLaunch(old, AT + HOUR)).toMatchObject({ move: { kind: "reminded", urgency: "normal" } });
  });
});
