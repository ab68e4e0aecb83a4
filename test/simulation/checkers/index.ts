import { changesAreSent, peopleDecide } from "./answering.ts";
import { approvalsAreUsedOnce, calledAtMostOnce, callsAreAllowed, completedStays } from "./calling.ts";
import { roundsArePaidOnce, roundsAreSettled, suspendedHoldsNothing, turnsContinue } from "./continuing.ts";
import { budgetsHold, childCostsClimb, childrenEndFirst, costsAgree, slotsHold } from "./counting.ts";
import type { MakeChecker } from "./checker.ts";
import { computesAtOnce, endsAsTheStepSays, outputsAreGiven } from "./computing.ts";
import {
  cancelledNeverRuns,
  deltasIncrease,
  everyDispatchIsAllowed,
  idsCount,
  skippedNeverRuns,
} from "./dispatching.ts";
import { editsAreKept } from "./editing.ts";
import { approvalsMatchBlocked, endsAsNodesSay } from "./ending.ts";
import { skipsAreKept } from "./failing.ts";
import { gatesHold } from "./gating.ts";
import { failuresAreHandled, joinsAreKept } from "./outcomes.ts";
import { noiseIsIgnored, rewindsExactly, stopsAtOnce } from "./reopening.ts";
import { pausedBeginsNothing } from "./pausing.ts";
import { placesHold } from "./placing.ts";
import { roundsFollow } from "./repeating.ts";
import { blocksAreContinued, blocksEndTheirRun, blocksHandOn, finallyComesLast } from "./nesting.ts";
import { restartsExactly } from "./restarting.ts";
import { retriesFollowPolicy } from "./retrying.ts";
import { finishedIsQuiet, oneOpenAttempt, oneResult, settledStays } from "./settling.ts";
import { instancesAddUp, lanesHold, parallelHolds } from "./sharing.ts";
import { startsAfterParents } from "./starting.ts";
import { statusChangesAreComplete } from "./status.ts";
import { movesAreInTable, payloadsFit } from "./table.ts";
import { eventsAreNeverLost, eventsAreTakenOnce, momentsCome } from "./happening.ts";
import { neverStuck, waitsHaveWakeups } from "./waiting.ts";

export { type MakeChecker, Violation } from "./checker.ts";
export { notesMarkers } from "./markers.ts";
export { Suite } from "./suite.ts";

/** Every checker that judges what it is shown; E7 and E9 feed the engine themselves, E8 and E20 compare schedules. */
export const CHECKERS: readonly MakeChecker[] = [
  startsAfterParents,
  settledStays,
  oneOpenAttempt,
  oneResult,
  finishedIsQuiet,
  neverStuck,
  waitsHaveWakeups,
  restartsExactly,
  editsAreKept,
  skippedNeverRuns,
  cancelledNeverRuns,
  idsCount,
  costsAgree,
  slotsHold,
  budgetsHold,
  everyDispatchIsAllowed,
  deltasIncrease,
  childrenEndFirst,
  childCostsClimb,
  movesAreInTable,
  payloadsFit,
  endsAsNodesSay,
  approvalsMatchBlocked,
  retriesFollowPolicy,
  rewindsExactly,
  noiseIsIgnored,
  stopsAtOnce,
  parallelHolds,
  lanesHold,
  instancesAddUp,
  gatesHold,
  peopleDecide,
  changesAreSent,
  statusChangesAreComplete,
  skipsAreKept,
  computesAtOnce,
  outputsAreGiven,
  endsAsTheStepSays,
  eventsAreTakenOnce,
  eventsAreNeverLost,
  momentsCome,
  failuresAreHandled,
  joinsAreKept,
  roundsFollow,
  blocksAreContinued,
  blocksHandOn,
  blocksEndTheirRun,
  finallyComesLast,
  placesHold,
  pausedBeginsNothing,
  callsAreAllowed,
  completedStays,
  calledAtMostOnce,
  approvalsAreUsedOnce,
  roundsArePaidOnce,
  turnsContinue,
  suspendedHoldsNothing,
  roundsAreSettled,
];
