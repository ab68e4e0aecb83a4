import type { JsonObject } from "../../../src/core/base/index.ts";
import type { Counters, NewVerdict, RunCommit, Store } from "../../../src/store/index.ts";
import { ORG } from "../../integration/support/governed.ts";
import { Violation } from "../checkers/index.ts";
import { type Books, type KnownAttempt, keyOf, NEWS_MS } from "./books.ts";
import { firstFailing } from "./oracle.ts";

/** One commit that stood, of one or several runs, and what is counted right after it. */
export interface Stood {
  readonly books: Books;
  readonly commits: readonly RunCommit[];
  readonly begun: readonly KnownAttempt[];
  readonly counters: Counters;
  /** By ceiling, before this commit. */
  readonly spentBefore: ReadonlyMap<string, number>;
  readonly now: number;
}

/** What is left when everything has ended. */
export interface Ended {
  readonly books: Books;
  readonly store: Store;
}

/** Judges one invariant from what is committed and counted, never through the governor. */
export interface GovernanceChecker {
  readonly id: string;
  after?(stood: Stood): void;
  atEnd?(ended: Ended): Promise<void>;
}

function fail(id: string, runId: string, message: string): never {
  throw new Violation(id, runId, message);
}

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

/** Integer for integer, at every moment: spent is what was reported, reserved what is open. */
const ledgerIsTheLog: GovernanceChecker = {
  id: "G4",
  after({ books, counters, commits }) {
    const runId = commits[0]?.runId ?? "";
    const reservedNow = books.reserved();
    const seen = new Set<string>();
    for (const { envelopeId, periodStart, spent, reserved } of counters.envelopes) {
      const key = `${envelopeId} ${periodStart}`;
      seen.add(key);
      const rightSpent = books.spent.get(key) ?? 0;
      const rightReserved = reservedNow.get(key) ?? 0;
      if (spent !== rightSpent) fail("G4", runId, `${key} is counted ${spent} spent, and ${rightSpent} was reported`);
      if (reserved !== rightReserved)
        fail("G4", runId, `${key} has ${reserved} reserved, and ${rightReserved} is open`);
    }
    for (const [key, micros] of books.spent)
      if (micros !== 0 && !seen.has(key)) fail("G4", runId, `${micros} spent under ${key} are counted nowhere`);
  },
};

/** Costs of the same commit may come after what it reserves: nobody can refuse them, and nobody knew of them. */
const ceilingsHold: GovernanceChecker = {
  id: "G5",
  after({ books, begun, spentBefore }) {
    const reserved = books.reserved();
    for (const attempt of begun) {
      for (const { key, micros } of books.ceilingsOf(attempt)) {
        const sum = (spentBefore.get(key) ?? 0) + (reserved.get(key) ?? 0);
        if (sum > micros) fail("G5", attempt.runId, `${key} may cost ${micros}, and ${sum} is spent or reserved`);
      }
    }
  },
};

/** Usage, runs and costs add up to the same, and nothing is held by what has ended. */
const everythingAddsUp: GovernanceChecker = {
  id: "G6",
  async atEnd({ books, store }) {
    let sum = 0;
    for (const [runId, cost] of books.costOf) {
      sum += cost;
      const run = await store.getRun(ORG, runId);
      if (run?.costMicros !== cost) fail("G6", runId, `costs ${run?.costMicros}, and ${cost} was reported`);
    }
    const usage = await store.usage(ORG, { bucket: "month", by: null, since: 0, until: Number.MAX_SAFE_INTEGER });
    const used = usage.reduce((total, { costMicros }) => total + costMicros, 0);
    if (used !== sum) fail("G6", "all", `usage says ${used}, and ${sum} was reported`);
    const { agents, envelopes } = await store.readCounters(ORG, 0);
    if (agents.some(({ open }) => open !== 0)) fail("G6", "all", "a slot is held by nobody");
    if (envelopes.some(({ reserved }) => reserved !== 0)) fail("G6", "all", "money is reserved for nobody");
    const mended = await store.recount();
    if (mended.length > 0) fail("G6", "all", mended.join("; "));
  },
};

/** Nothing is dispatched without a verdict that allows it, kept in the same commit. */
const startsAreAllowed: GovernanceChecker = {
  id: "G7",
  after({ commits }) {
    for (const { runId, events, verdicts } of commits) {
      const allowed = new Set(
        verdicts.flatMap(({ disposition, nodeId, attempt }) =>
          disposition === "allow" ? [keyOf(runId, nodeId, attempt ?? 0)] : [],
        ),
      );
      for (const event of events) {
        if (event.type !== "node.started") continue;
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

function checkVerdict(runId: string, { verdictId, disposition, gate, bodyText }: NewVerdict): void {
  const body = JSON.parse(bodyText) as JsonObject;
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
    if (left !== undefined) fail("G9", left.runId, `${left.id} is asked, and nobody waits for it`);
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

/** Whoever waits longest is served first: to begin before them there must be a slot for each of them as well. */
const firstComeFirstServed: GovernanceChecker = {
  id: "G12",
  after({ books, begun, commits }) {
    if (books.isDisturbed || books.scene.replicas > 1) return;
    for (const { agent, runId, nodeId, at, order } of begun) {
      const waiting = [...books.waiting].filter(([, waiter]) => waiter.agent === agent && waiter.order < order);
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
];
