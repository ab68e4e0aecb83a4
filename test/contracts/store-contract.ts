import { afterAll, beforeAll, beforeEach, describe } from "vitest";
import type { Store } from "../../src/store/index.ts";
import { admissionRules } from "./admission-rules.ts";
import { agentMemoryRules } from "./agent-memory-rules.ts";
import { alertRules } from "./alert-rules.ts";
import { approvalInboxRules } from "./approval-inbox-rules.ts";
import { approvalWorkRules } from "./approval-work-rules.ts";
import { auditRules } from "./audit-rules.ts";
import { backlogRules } from "./backlog-rules.ts";
import { blobRules } from "./blob-rules.ts";
import { channelRules } from "./channel-rules.ts";
import { commitRules } from "./commit-rules.ts";
import { configRules } from "./config-rules.ts";
import { deliveryRules } from "./delivery-rules.ts";
import { eventRules } from "./event-rules.ts";
import { feedRules } from "./feed-rules.ts";
import { fileRules } from "./file-rules.ts";
import { searchRules } from "./search-rules.ts";
import { gatewayRules } from "./gateway-rules.ts";
import { historyRules } from "./history-rules.ts";
import { hookRules } from "./hook-rules.ts";
import { idempotencyRules } from "./idempotency-rules.ts";
import { launchRules } from "./launch-rules.ts";
import { listRules } from "./list-rules.ts";
import { liveRules } from "./live-rules.ts";
import { peopleRules, saverRules } from "./people-rules.ts";
import { secretRules } from "./secret-rules.ts";
import { sessionRules } from "./session-rules.ts";
import { rateRules } from "./rate-rules.ts";
import { registryRules } from "./registry-rules.ts";
import { replicaRules } from "./replica-rules.ts";
import { scheduleRules } from "./schedule-rules.ts";
import { subscriptionRules } from "./subscription-rules.ts";
import { timerRules } from "./timer-rules.ts";
import { trendRules } from "./trend-rules.ts";
import { triggerRules } from "./trigger-rules.ts";
import { pauseRules } from "./pause-rules.ts";
import { placeRules } from "./place-rules.ts";
import { waitingRules } from "./waiting-rules.ts";
import { workRules } from "./work-rules.ts";
import { verdictRules } from "./verdict-rules.ts";

/** A store under test, and what a test may do to the world around it. */
export interface Subject {
  readonly store: Store;
  /** Another client of the same data; the store itself where there can be none. */
  readonly rival: Store;
  /** As if so much database time had passed. */
  readonly passTime: (ms: number) => Promise<void>;
  /** Forgets everything. */
  readonly reset: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export type SubjectOf = () => Subject;

/** What holds for every store, whatever it is made of. */
export function testStore(name: string, open: () => Promise<Subject>): void {
  describe(`the store contract on ${name}`, () => {
    let subject: Subject;
    beforeAll(async () => {
      subject = await open();
    });
    beforeEach(() => subject.reset());
    afterAll(() => subject.close());
    const subjectOf: SubjectOf = () => subject;
    commitRules(subjectOf);
    secretRules(subjectOf);
    timerRules(subjectOf);
    waitingRules(subjectOf);
    workRules(subjectOf);
    pauseRules(subjectOf);
    placeRules(subjectOf);
    eventRules(subjectOf);
    idempotencyRules(subjectOf);
    blobRules(subjectOf);
    listRules(subjectOf);
    searchRules(subjectOf);
    trendRules(subjectOf);
    approvalInboxRules(subjectOf);
    approvalWorkRules(subjectOf);
    registryRules(subjectOf);
    configRules(subjectOf);
    gatewayRules(subjectOf);
    admissionRules(subjectOf);
    rateRules(subjectOf);
    verdictRules(subjectOf);
    agentMemoryRules(subjectOf);
    replicaRules(subjectOf);
    backlogRules(subjectOf);
    liveRules(subjectOf);
    auditRules(subjectOf);
    launchRules(subjectOf);
    scheduleRules(subjectOf);
    subscriptionRules(subjectOf);
    feedRules(subjectOf);
    deliveryRules(subjectOf);
    channelRules(subjectOf);
    hookRules(subjectOf);
    triggerRules(subjectOf);
    alertRules(subjectOf);
    fileRules(subjectOf);
    historyRules(subjectOf);
    peopleRules(subjectOf);
    sessionRules(subjectOf);
    saverRules(subjectOf);
  });
}
