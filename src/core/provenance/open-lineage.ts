/** A run, its attempts and its child runs as events of OpenLineage. */
import type { JsonObject } from "../base/index.ts";
import type { NodeStatus, RunStatus } from "../event/index.ts";
import { attemptFacts } from "./attempt-facts.ts";
import { columnLineage, datasetsRead, datasetWritten, facet, NAMESPACE, PRODUCER } from "./dataset.ts";
import type { Family } from "./family.ts";
import { uuidOf } from "./identity.ts";
import type { WriteInstant } from "./prov.ts";
import { rootOf, withChildren } from "./relatives.ts";
import type { Attempt, Life, RunTale } from "./tale.ts";

const SCHEMA_URL = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent";

type EventType = "START" | "COMPLETE" | "FAIL" | "ABORT";

const ENDS: Readonly<Partial<Record<NodeStatus | RunStatus, EventType>>> = {
  completed: "COMPLETE",
  failed: "FAIL",
  timed_out: "FAIL",
  cancelled: "ABORT",
  skipped: "ABORT",
};

interface Told {
  readonly at: number;
  readonly event: JsonObject;
}

/** One START and, once it has ended, one COMPLETE, FAIL or ABORT per run and per attempt, in order of time. */
export function toOpenLineage(family: Family, runId: string, iso: WriteInstant): readonly JsonObject[] {
  const told = withChildren(family, runId).flatMap((tale) => tellRun(family, tale));
  const sorted = [...told].sort((left, right) => left.at - right.at);
  return sorted.map(({ at, event }) => ({ ...event, eventTime: iso(at), producer: PRODUCER, schemaURL: SCHEMA_URL }));
}

function tellRun(family: Family, tale: RunTale): readonly Told[] {
  const { start, end, workflow } = tale;
  if (start === null) return [];
  const caller = callerOf(family, tale);
  const facets = {
    ...(caller === null ? {} : { parent: parentFacet(family, tale, caller) }),
    ...(end === null ? {} : errorFacet(end.errorCode)),
  };
  const subject = { run: { runId: runUuid(tale), facets }, ["job"]: named(workflow, "WORKFLOW") };
  const first: Told = { at: start.at, event: { eventType: "START", ...subject, inputs: [], outputs: [] } };
  const last = end === null ? [] : endOf(end.at, end.status, subject);
  const attempts = [...tale.nodes.values()].flatMap(({ lives }) =>
    lives.flatMap((life) => life.attempts.flatMap((attempt) => tellAttempt(family, tale, life, attempt))),
  );
  return [first, ...attempts, ...last];
}

function endOf(at: number, status: NodeStatus | RunStatus, event: JsonObject): readonly Told[] {
  const eventType = ENDS[status];
  return eventType === undefined ? [] : [{ at, event: { eventType, inputs: [], outputs: [], ...event } }];
}

function tellAttempt(family: Family, tale: RunTale, life: Life, attempt: Attempt): readonly Told[] {
  const facets = {
    parent: parentFacet(family, tale, { runId: runUuid(tale), name: tale.workflow }),
    sluice_attempt: attemptFacet(tale, life, attempt),
    ...errorFacet(attempt.errorCode),
  };
  const name = `${tale.workflow}.${planNodeOf(attempt.nodeId)}`;
  const subject = { run: { runId: attemptUuid(tale, attempt), facets }, ["job"]: named(name, "NODE") };
  const inputs = datasetsRead(family, tale, life);
  const first: Told = {
    at: attempt.startedAt,
    event: { eventType: "START", ...subject, inputs: [...inputs], outputs: [] },
  };
  if (attempt.endedAt === null) return [first];
  const isMade = life.result !== null && life.result.attempt === attempt.attempt;
  const outputs = isMade ? [datasetWritten(tale, life, columnLineage(family, tale, life))] : [];
  return [first, ...endOf(attempt.endedAt, attempt.status, { ...subject, inputs: [...inputs], outputs })];
}

/** Instances share what their node is called: a list of a thousand elements is not a thousand things to do. */
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

function callerOf({ tales }: Family, tale: RunTale): Caller | null {
  const parent = tales.get(tale.start?.parentRunId ?? "");
  const life = parent?.callers.get(tale.runId);
  const attempt = life?.attempts.find(({ childRunId }) => childRunId === tale.runId);
  if (parent === undefined || attempt === undefined) return null;
  return { runId: attemptUuid(parent, attempt), name: `${parent.workflow}.${planNodeOf(attempt.nodeId)}` };
}

function parentFacet(family: Family, tale: RunTale, { runId, name }: Caller): JsonObject {
  const root = rootOf(family, tale);
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

/** What the standard has no word for: agent, model, verdict, policies, approvals, cost. */
function attemptFacet(tale: RunTale, life: Life, attempt: Attempt): JsonObject {
  const { approvals, policies, ...facts } = attemptFacts(tale, life, attempt);
  const people = approvals.map(({ changed, ...approval }) => ({ ...approval, changed: [...changed] }));
  return {
    _producer: PRODUCER,
    _schemaURL: "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunFacet",
    ...facts,
    policies: [...policies],
    approvals: people,
  };
}

function runUuid({ runId }: RunTale): string {
  return uuidOf(runId);
}

function attemptUuid({ runId }: RunTale, { nodeId, attempt }: Attempt): string {
  return uuidOf(JSON.stringify([runId, nodeId, attempt]));
}
