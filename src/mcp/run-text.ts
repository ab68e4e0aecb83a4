import type { RunSummary } from "./run-summary.ts";

const TEXT = { type: "string" } as const;
const COUNT = { type: "integer" } as const;
const TROUBLE = { type: "array", items: { type: "object", properties: { nodeId: TEXT, code: TEXT, message: TEXT } } };

/** No property is required, because a refusal has other properties in its place. */
export const STANDING_SCHEMA = {
  properties: {
    runId: TEXT,
    workflow: TEXT,
    version: { type: ["integer", "null"] },
    status: TEXT,
    isPaused: { type: "boolean", description: "Whether the run is paused until a person resumes it" },
    outputs: { type: "object", description: "Outputs of the last nodes, by node" },
    costMicros: { type: "integer", description: "Millionths of a US dollar" },
    executedCount: COUNT,
    failedCount: COUNT,
    lastEventId: COUNT,
    waitingFor: {
      type: "array",
      description: "Approvals that the run waits for; answer them with resolve_approval",
      items: {
        type: "object",
        properties: {
          approvalId: TEXT,
          nodeId: TEXT,
          summary: TEXT,
          choices: { type: "array", items: TEXT },
          digest: TEXT,
          title: TEXT,
          subjectDigest: TEXT,
          expiresAt: TEXT,
        },
      },
    },
    blocked: TROUBLE,
    failures: TROUBLE,
  },
};

export const EVENT_SCHEMA = {
  type: "array",
  items: { type: "object", properties: { eventId: COUNT, type: TEXT, timestamp: TEXT, payload: { type: "object" } } },
};

/** Describes the state of a run in a few lines, for people and models. */
export function sentenceOf(summary: RunSummary): string {
  const { runId, workflow, version, status, isPaused, costMicros } = summary;
  const of = `${workflow}${version === null ? "" : `@${version}`}`;
  const cost = costMicros === 0 ? "" : ` It has cost $${(costMicros / 1_000_000).toFixed(6)}.`;
  const how = isPaused ? `${status}, and waits` : status;
  return [
    `Run ${runId} of ${of} is ${how}.${cost}`,
    ...(summary.waitingFor ?? []).map(
      ({ approvalId, summary, choices }) => `It needs a person: ${summary} (${approvalId}: ${choices.join(", ")}).`,
    ),
    ...(summary.blocked ?? []).map(({ nodeId, code, message }) => `${nodeId} is blocked: ${code}. ${message}`.trim()),
    ...(summary.failures ?? []).map(({ nodeId, code, message }) => `${nodeId} failed: ${code}. ${message}`.trim()),
  ].join("\n");
}
