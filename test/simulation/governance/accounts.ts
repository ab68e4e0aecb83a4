import { ORG } from "../../integration/support/governed.ts";
import { fail, type GovernanceChecker } from "./checker.ts";

/** Integer for integer, at every moment: spent is what was reported, reserved what is open. */
export const ledgerIsTheLog: GovernanceChecker = {
  id: "G4",
  after({ books, counters, commits }) {
    const runId = commits[0]?.runId ?? "";
    const seen = new Set<string>();
    for (const { envelopeId, periodStart, spent, reserved } of counters.envelopes) {
      const key = `${envelopeId} ${periodStart}`;
      seen.add(key);
      const rightSpent = books.spent.get(key) ?? 0;
      const rightReserved = books.reserved.get(key) ?? 0;
      if (spent !== rightSpent) fail("G4", runId, `${key} is counted ${spent} spent, and ${rightSpent} was reported`);
      if (reserved !== rightReserved)
        fail("G4", runId, `${key} has ${reserved} reserved, and ${rightReserved} is open`);
    }
    for (const [key, micros] of books.spent)
      if (micros !== 0 && !seen.has(key)) fail("G4", runId, `${micros} spent under ${key} are counted nowhere`);
  },
};

/** At the moment of each admission; what really costs more than was reserved may pass a ceiling afterwards. */
export const ceilingsHold: GovernanceChecker = {
  id: "G5",
  after({ begun }) {
    for (const { runId, admitted } of begun) {
      for (const { key, micros, sum, boundBy } of admitted)
        if (boundBy === null && sum > micros)
          fail("G5", runId, `${key} may cost ${micros}, and ${sum} is spent or reserved`);
    }
  },
};

/** The same for an agent in a role, whose bound counts in place of its own ceiling: wider or narrower. */
export const roleBoundsHold: GovernanceChecker = {
  id: "G14",
  after({ begun }) {
    for (const { runId, nodeId, admitted } of begun) {
      for (const { key, micros, sum, boundBy } of admitted)
        if (boundBy !== null && sum > micros)
          fail("G14", runId, `${nodeId} began at ${sum} of ${key}, and ${boundBy} bounds it to ${micros}`);
    }
  },
};

/** What a run costs, each run above it has recorded once: at no moment more than that, and in the end all of it. */
export const childCostsClimb: GovernanceChecker = {
  id: "G15",
  after({ books, commits }) {
    for (const { runId, events } of commits) {
      for (const event of events) {
        const child = event.type === "cost.recorded" ? books.children.get(event.payload.childRunId ?? "") : undefined;
        if (child === undefined) continue;
        const { recordedMicros } = child;
        const cost = books.costOf.get(child.runId) ?? 0;
        if (recordedMicros > cost)
          fail("G15", runId, `has recorded ${recordedMicros} of ${child.runId}, which cost ${cost}`);
      }
    }
  },
  async atEnd({ books }) {
    for (const { runId, parentRunId, recordedMicros } of books.children.values()) {
      const cost = books.costOf.get(runId) ?? 0;
      if (recordedMicros !== cost)
        fail("G15", parentRunId, `ends with ${recordedMicros} recorded of ${runId}, which cost ${cost}`);
    }
  },
};

/** Usage, runs and costs add up to the same, and nothing is held by what has ended. */
export const everythingAddsUp: GovernanceChecker = {
  id: "G6",
  async atEnd({ books, store }) {
    const sum = books.reportedMicros;
    for (const [runId, cost] of books.costOf) {
      const run = await store.getRun(ORG, runId);
      if (run?.costMicros !== cost) fail("G6", runId, `costs ${run?.costMicros}, and ${cost} was reported`);
    }
    const usage = await store.usage(ORG, { bucket: "month", by: null, since: 0, until: Number.MAX_SAFE_INTEGER });
    const used = usage.reduce((total, { costMicros }) => total + costMicros, 0);
    if (used !== sum) fail("G6", "all", `usage says ${used}, and ${sum} was reported`);
    const { agents, envelopes } = await store.readCounters(ORG, 0);
    if (agents.some(({ open }) => open !== 0)) fail("G6", "all", "a slot is held without an attempt");
    if (envelopes.some(({ reserved }) => reserved !== 0)) fail("G6", "all", "money is reserved without an attempt");
    const corrections = await store.recount();
    if (corrections.length > 0) fail("G6", "all", corrections.join("; "));
  },
};
