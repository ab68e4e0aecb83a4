/** Writes a run, its attempts and its child runs as OpenLineage events. */
import type { JsonObject } from "../base/index.ts";
import type { NodeStatus, RunStatus } from "../event/index.ts";
import { attemptFacts } from "./attempt-facts.ts";
import { columnLineage, datasetsRead, datasetWritten, facet, NAMESPACE, PRODUCER } from "./dataset.ts";
import type { RelatedRuns } from "./related-runs.ts";
import { uuidOf } from "./identity.ts";
import type { WriteInstant } from "./prov.ts";
import { rootOf, withChildren } from "./relatives.ts";
import type { Attempt, NodeHistory, RunHistory } from "./run-history.ts";

const SCHEMA_URL = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent";

type EventType = "START" | "COMPLETE" | "FAIL" | "ABORT";

const ENDS: Readonly<Partial<Record<NodeStatus | RunStatus, EventType>>> = {
  completed: "COMPLETE",
  failed: "FAIL",
  timed_out: "FAIL",
  cancelled: "ABORT",
  skipped: "ABORT",
};

interface TimedEvent {
  readonly at: number;
  readonly event: JsonObject;
}

/** Returns one START and, after the end, one COMPLETE, FAIL or ABORT per run and per attempt, ordered by time. */
export function toOpenLineage(related: RelatedRuns, runId: string, iso: WriteInstant): readonly JsonObject[] {
  const events = withChildren(related, runId).flatMap((run) => eventsOfRun(related, run));
  const sorted = [...events].sort((left, right) => left.at - right.at);
  return sorted.map(({ at, event }) => ({ ...event, eventTime: iso(at), producer: PRODUCER, schemaURL: SCHEMA_URL }));
}

function eventsOfRun(related: RelatedRuns, run: RunHistory): readonly TimedEvent[] {
  const { start, end, workflow } = run;
  if (start === null) return [];
  const caller = callerOf(related, run);
  const facets = {
    ...(caller === null ? {} : { parent: parentFacet(related, run, caller) }),
    ...(end === null ? {} : errorFacet(end.errorCode)),
  };
  const subject = { run: { runId: runUuid(run), facets }, ["job"]: named(workflow, "WORKFLOW") };
  const first: TimedEvent = { at: start.at, event: { eventType: "START", ...subject, inputs: [], outputs: [] } };
  const last = end === null ? [] : endOf(end.at, end.status, subject);
  const attempts = [...run.nodes.values()].flatMap(({ histories }) =>
    histories.flatMap((history) =>
      history.attempts.flatMap((attempt) => eventsOfAttempt(related, run, history, attempt)),
    ),
  );
  return [first, ...attempts, ...last];
}

function endOf(at: number, status: NodeStatus | RunStatus, event: JsonObject): readonly TimedEvent[] {
  const eventType = ENDS[status];
  return eventType === undefined ? [] : [{ at, event: { eventType, inputs: [], outputs: [], ...event } }];
}

function eventsOfAttempt(
  related: RelatedRuns,
  run: RunHistory,
  history: NodeHistory,
  attempt: Attempt,
): readonly TimedEvent[] {
  const facets = {
    parent: parentFacet(related, run, { runId: runUuid(run), name: run.workflow }),
    sluice_attempt: attemptFacet(run, history, attempt),
    ...errorFacet(attempt.errorCode),
  };
  const name = `${run.workflow}.${planNodeOf(attempt.nodeId)}`;
  const subject = { run: { runId: attemptUuid(run, attempt), facets }, ["job"]: named(name, "NODE") };
  const inputs = datasetsRead(related, run, history);
  const first: TimedEvent = {
    at: attempt.startedAt,
    event: { eventType: "START", ...subject, inputs: [...inputs], outputs: [] },
  };
  if (attempt.endedAt === null) return [first];
  const isMade = history.result !== null && history.result.attempt === attempt.attempt;
  const outputs = isMade ? [datasetWritten(run, history, columnLineage(related, run, history))] : [];
  return [first, ...endOf(attempt.endedAt, attempt.status, { ...subject, inputs: [...inputs], outputs })];
}

/** Returns the id of the plan node. Instances share the name of their node: a list of a thousand elements is one node. */
function planNodeOf(nodeId: string): string {
  return nodeId.replace(/\[\d+\]$/, "");
}

function named(name: string, kind: "WORKFLOW" | "NODE"): JsonObject {
  const type = { processingType: "BATCH", integration: "SLUICE", ["jobType"]: kind };
  return { namespace: NAMESPACE, name, facets: { ["jobType"]: facet("2-0-3/JobTypeJobFacet", type) } };
}

interface Caller {
  readonly runId: string;
  readonly name: string;
}

function callerOf({ runs }: RelatedRuns, run: RunHistory): Caller | null {
  const parent = runs.get(run.start?.parentRunId ?? "");
  const history = parent?.callers.get(run.runId);
  const attempt = history?.attempts.find(({ childRunId }) => childRunId === run.runId);
  if (parent === undefined || attempt === undefined) return null;
  return { runId: attemptUuid(parent, attempt), name: `${parent.workflow}.${planNodeOf(attempt.nodeId)}` };
}

function parentFacet(related: RelatedRuns, run: RunHistory, { runId, name }: Caller): JsonObject {
  const root = rootOf(related, run);
  return facet("1-1-0/ParentRunFacet", {
    ...subjectOf({ runId, name }),
    root: subjectOf({ runId: runUuid(root), name: root.workflow }),
  });
}

function subjectOf({ runId, name }: Caller): JsonObject {
  return { run: { runId }, ["job"]: { namespace: NAMESPACE, name } };
}

function errorFacet(errorCode: string | null): JsonObject {
  if (errorCode === null) return {};
  const error = { message: errorCode, programmingLanguage: "sluice" };
  return { errorMessage: facet("1-0-1/ErrorMessageRunFacet", error) };
}

/** Facts for which the standard has no field: agent, model, verdict, policies, approvals, cost. */
function attemptFacet(run: RunHistory, history: NodeHistory, attempt: Attempt): JsonObject {
  const { approvals, policies, calls, ...facts } = attemptFacts(run, history, attempt);
  const people = approvals.map(({ changed, ...approval }) => ({ ...approval, changed: [...changed] }));
  return {
    _producer: PRODUCER,
    _schemaURL: "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunFacet",
    ...facts,
    policies: [...policies],
    approvals: people,
    calls: calls.map((call) => ({ ...call })),
  };
}

function runUuid({ runId }: RunHistory): string {
  return uuidOf(runId);
}

function attemptUuid({ runId }: RunHistory, { nodeId, attempt }: Attempt): string {
  return uuidOf(JSON.stringify([runId, nodeId, attempt]));
}
