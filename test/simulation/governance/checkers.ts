import type { Json, JsonObject } from "../../../src/core/base/index.ts";
import { expandRecord } from "../../../src/core/governance/index.ts";
import type { NewVerdict } from "../../../src/store/index.ts";
import { ORG } from "../../integration/support/governed.ts";
import { ceilingsHold, childCostsClimb, everythingAddsUp, ledgerIsTheLog, roleBoundsHold } from "./accounts.ts";
import { keyOf } from "./books.ts";
import { fail, type GovernanceChecker } from "./checker.ts";
import { NEWS_MS } from "./moments.ts";
import { firstFailing } from "./oracle.ts";

const slotsHold: GovernanceChecker = {
  id: "G1",
  after({ books, begun }) {
    for (const { agent, runId, at } of begun) {
      const open = books.openOf(agent);
      const slots = books.slotsOf(agent, at);
      if (open > slots) fail("G1", runId, `${agent} has ${open} attempts open, and ${slots} slots`);
    }
  },
};

const windowsHold: GovernanceChecker = {
  id: "G2",
  after({ books, begun }) {
    for (const { agent, runId, at } of begun) {
      const { rate } = books.agent(agent);
      if (rate === null) continue;
      const moments = books.starts.filter((start) => start.agent === agent).map((start) => start.at);
      const windowMs = rate.perSeconds * 1_000;
      for (const end of moments) {
        if (end < at || end >= at + windowMs) continue;
        const inside = moments.filter((moment) => moment > end - windowMs && moment <= end).length;
        if (inside > rate.count) fail("G2", runId, `${agent} had ${inside} dispatches in the window to ${end}`);
      }
    }
  },
};

const countersAreTheLog: GovernanceChecker = {
  id: "G3",
  after({ books, counters, commits }) {
    const runId = commits[0]?.runId ?? "";
    if (books.rows.size !== books.open.size)
      fail("G3", runId, `${books.rows.size} rows are open, by the log ${books.open.size} attempts are`);
    for (const { agentId, open } of counters.agents) {
      const right = books.openOf(agentId);
      if (open !== right) fail("G3", runId, `${agentId} is counted ${open} open, and has ${right}`);
    }
  },
};

/** Nothing is dispatched without a verdict that allows it, kept in the same commit. */
const startsAreAllowed: GovernanceChecker = {
  id: "G7",
  after({ books, commits }) {
    for (const { runId, workflow, events, verdicts } of commits) {
      const allowed = new Set(
        verdicts.flatMap(({ disposition, nodeId, attempt }) =>
          disposition === "allow" ? [keyOf(runId, nodeId, attempt ?? 0)] : [],
        ),
      );
      for (const event of events) {
        if (event.type !== "node.started" || books.isChild(workflow, event.payload.nodeId)) continue;
        const key = keyOf(runId, event.payload.nodeId, event.payload.attempt ?? 0);
        if (!allowed.has(key)) fail("G7", runId, `${key} began without a verdict`);
      }
    }
  },
};

const GATE_OUTCOMES: ReadonlySet<unknown> = new Set(["pass", "warn"]);

/** The gate a verdict names is the first that fails, by its own facts; those after it were not asked. */
const firstGateIsNamed: GovernanceChecker = {
  id: "G8",
  after({ commits }) {
    for (const { runId, verdicts } of commits) for (const verdict of verdicts) checkVerdict(runId, verdict);
  },
};

function checkVerdict(runId: string, { verdictId, disposition, gate, bodyText, shared }: NewVerdict): void {
  const body = expandRecord(JSON.parse(bodyText) as JsonObject, (name) => {
    const part = shared?.find((one) => one.name === name);
    return part === undefined ? undefined : (JSON.parse(part.text) as Json);
  });
  const trail = body["trail"] as readonly { readonly gate: string; readonly outcome: string }[];
  const at = trail.findIndex(({ outcome }) => !GATE_OUTCOMES.has(outcome));
  const stopped = at === -1 ? null : trail[at];
  const named = stopped?.gate ?? null;
  const right = firstFailing(body["facts"]);
  if (right !== gate) fail("G8", runId, `${verdictId} names ${gate}, and the first gate that fails is ${right}`);
  if (named !== gate || (stopped?.outcome ?? "allow") !== disposition)
    fail("G8", runId, `${verdictId} is ${disposition} by ${gate}, and its trail says ${named}`);
  const isAskedAfter = at !== -1 && trail.slice(at + 1).some(({ outcome }) => outcome !== "not_evaluated");
  if (isAskedAfter) fail("G8", runId, `${verdictId} asked gates after ${gate}`);
}

/** Who is asked is exactly who is waited for, and every question is answered once. */
const approvalsAreOneToOne: GovernanceChecker = {
  id: "G9",
  after({ books, commits }) {
    for (const commit of commits) {
      const asked = commit.events.filter(({ type }) => type === "approval.requested").length;
      const closed = commit.events.filter(({ type }) => type === "approval.resolved").length;
      if (commit.approvalsOpened.length !== asked)
        fail("G9", commit.runId, `${asked} were asked, and ${commit.approvalsOpened.length} approvals opened`);
      if (commit.approvalsClosed.length !== closed)
        fail("G9", commit.runId, `${closed} were answered, and ${commit.approvalsClosed.length} approvals closed`);
    }
    for (const { id, runId, resolutions } of books.approvals.values())
      if (resolutions > 1) fail("G9", runId, `${id} was answered ${resolutions} times`);
    for (const [id, count] of books.answers) if (count > 1) fail("G9", id, `${count} answers were taken`);
  },
  async atEnd({ books, store }) {
    const { data } = await store.listApprovals(ORG, "pending", { limit: 100, cursor: null });
    const [left] = data;
    if (left !== undefined) fail("G9", left.runId, `${left.id} is asked, and nothing waits for it`);
    for (const { id, runId, status } of books.approvals.values())
      if (status === "pending") fail("G9", runId, `${id} was never answered`);
  },
};

/** A held node begins only with a yes to the very version of the policy its verdict was made under. */
const holdsAreAnswered: GovernanceChecker = {
  id: "G10",
  after({ books, commits }) {
    for (const { runId, verdicts, head } of commits) {
      for (const { disposition, nodeId, bodyText } of verdicts) {
        if (disposition !== "allow" || nodeId !== books.scene.heldStep) continue;
        const { policies } = JSON.parse(bodyText) as { readonly policies: readonly string[] };
        const isGranted = [...books.approvals.values()].some(
          (approval) =>
            approval.runId === runId &&
            approval.nodeId === nodeId &&
            approval.epoch === head.epoch &&
            approval.status === "approved" &&
            policies.length > 0 &&
            policies.every((policy) => approval.policies.includes(policy)),
        );
        if (!isGranted) fail("G10", runId, `${nodeId} began without a yes to ${policies.join(", ")}`);
      }
    }
  },
};

const nothingBeginsWhileClosed: GovernanceChecker = {
  id: "G11",
  after({ books, begun }) {
    for (const { runId, nodeId, at } of begun) {
      const closing = books.closings.find(({ from, until }) => at > from + NEWS_MS && at < until);
      if (closing !== undefined)
        fail("G11", runId, `${nodeId} began ${at - closing.from} ms after the switch was thrown`);
    }
  },
};

/**
 * Of runs in flight, and of runs that have not begun, those that wait longest are served first: to begin before them
 * there must be a slot for each of them as well. Between the two kinds they take turns.
 */
const firstComeFirstServed: GovernanceChecker = {
  id: "G12",
  after({ books, begun, commits }) {
    if (books.isDisturbed || books.scene.replicas > 1) return;
    for (const { agent, runId, nodeId, at, order, isBegun } of begun) {
      const waiting = [...books.waiting].filter(
        ([, waiter]) => waiter.agent === agent && waiter.order < order && waiter.isBegun === isBegun,
      );
      const elsewhere = waiting.filter(([key]) => !commits.some((commit) => key.startsWith(`${commit.runId}/`)));
      const open = books.openOf(agent);
      const slots = books.slotsOf(agent, at);
      if (elsewhere.length > 0 && open + elsewhere.length > slots)
        fail("G12", runId, `${nodeId} began before ${elsewhere[0]?.[0]}, which waited longer`);
    }
  },
};

/** Every accepted run ends once the world is kind to it. */
const everythingEnds: GovernanceChecker = {
  id: "G13",
  async atEnd({ store }) {
    const { data } = await store.listRuns(ORG, { status: "running" }, { limit: 10, cursor: null });
    const [left] = data;
    if (left !== undefined) fail("G13", left.runId, "never ends");
  },
};

export const GOVERNANCE_CHECKERS: readonly GovernanceChecker[] = [
  slotsHold,
  windowsHold,
  countersAreTheLog,
  ledgerIsTheLog,
  ceilingsHold,
  everythingAddsUp,
  startsAreAllowed,
  firstGateIsNamed,
  approvalsAreOneToOne,
  holdsAreAnswered,
  nothingBeginsWhileClosed,
  firstComeFirstServed,
  everythingEnds,
  roleBoundsHold,
  childCostsClimb,
];
