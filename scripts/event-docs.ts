import { z } from "zod";
import { EVENT_PAYLOADS, EVENT_TYPES, type EventType } from "../src/core/event/index.ts";

const MEANINGS: Readonly<Record<EventType, string>> = {
  "run.started": "The run left the queue. Always the first event of a run that starts.",
  "run.status.changed":
    "The status of the run changed to another one; `reason` is `rewind` or `recover` when a finished run is opened again. " +
    "A change to a terminal status comes right before the event that ends the run. " +
    "Logs written before `run.ending` existed also record here that the run winds down (`cancelling`, `timing_out`, `halting`).",
  "run.ending":
    "The run winds down: no node starts any more, and the run ends as `as` when no node is in flight. A later event of this type replaces it.",
  "run.finally": "All nodes have settled, and the end of the run is known; the steps of finally have begun.",
  "run.finally.ended": "The steps of finally have ended; the run ends next.",
  "run.paused": "No node of the run begins until it is resumed; nodes in flight end, timers and answers are kept.",
  "run.resumed": "The run continues where it was paused.",
  "run.rewound": "The run goes back to an event: nodes that settled later run again, in a new epoch.",
  "run.completed": "The run succeeded.",
  "run.failed": "The run failed; `snapshot` records how far it had come.",
  "run.cancelled": "The run was cancelled.",
  "run.timed_out": "The run took longer than its `timeout`.",
  "run.recovered": "A failed run was opened again and succeeded; `run.completed` follows in the same commit.",
  "node.queued": "The node is ready and waits to be started.",
  "node.waiting": "The node waits: for its parents, for a slot or a rate window, or for an outside callback.",
  "node.expanded": "A `for_each` node became instances, or the first round of a repeated node begins.",
  "node.round": "The next round of a repeated node.",
  "node.started": "An attempt began: the gates allowed it and a slot was taken.",
  "node.stream.delta": "A new piece of the answer, never the text so far.",
  "node.log": "A message about the node.",
  "node.retried": "An attempt failed and another is scheduled.",
  "node.completed": "The node has its result; tokens and cost are those of its answer, or of the rounds of its turn.",
  "node.failed": "The node failed for good.",
  "node.handled":
    "The node had failed, but its failure no longer fails the run: `by` has handled it, or is a join that was reached without it.",
  "node.timed_out": "The last attempt took longer than its `timeout`.",
  "node.cancelled": "The node was cancelled.",
  "node.skipped": "The node will not run; this is not a failure.",
  "node.blocked":
    "The node waits for a person, for an event (`event`) or for a moment (`until`); it holds no slot and no attempt runs.",
  "node.invalidated": "A settled node will run again. Only this event changes a settled status.",
  "node.provenance": "A value was passed from one place to another and really used.",
  "gate.decided": "The gates decided.",
  "moderation.flagged": "Moderation refused a text.",
  "contract.violated": "A value, or the instructions of a node, broke a contract.",
  "approval.requested": "A person is asked.",
  "approval.reminded": "A person was reminded.",
  "approval.escalated": "The next approver in the chain is asked.",
  "approval.answered": "A person has approved, and more people have to.",
  "approval.revised":
    "A person has approved with changes, and several people have to approve: earlier approvals are void.",
  "round.completed": "A model has answered in the turn of an agent; `calls` are the tool calls it asks for.",
  "tool.requested": "A tool call is judged; the event contains the tool, the args and the kind of act.",
  "tool.decided":
    "The decision about a tool call: `allow`, `deny` (the model receives the reason), or `hold` until a person has answered. A held call gets a second event with the answer.",
  "tool.completed": "A tool call was made, and its result is stored: the call is not made again.",
  "approval.resolved": "The approval was answered, has expired or was withdrawn.",
  "event.received": "An event the node waited for has arrived; the node completes in the same commit.",
  "event.emitted": "The node has emitted an event; the same commit stores it.",
  "cost.recorded": "Money was spent; `late` when the node had already settled.",
  "child.started": "A child run was started.",
  "child.finished": "A child run ended.",
};

/** The page docs/events.md. */
export function renderEventDocs(): string {
  const groups = new Map<string, EventType[]>();
  for (const type of EVENT_TYPES) {
    const group = type.slice(0, type.indexOf("."));
    groups.set(group, [...(groups.get(group) ?? []), type]);
  }
  const sections = [...groups].map(([group, types]) => `## ${group}\n\n${types.map(renderEvent).join("\n\n")}`);
  return `${HEAD}\n\n${sections.join("\n\n")}\n`;
}

const HEAD = `# Events

Written by \`npm run docs\` from \`src/core/event\`; do not edit.

A run is its log: events with ids 1, 2, 3, … without gaps, never rewritten. The engine folds them into its state, clients
fold the same events into a view. A client receives each event in a frame:

\`\`\`
{eventId, sequence, type, runId, workflowId, timestamp, correlation: {traceId, parentEventId?, wave?, phase}, payload}
\`\`\`

\`sequence\` equals \`eventId\`, \`timestamp\` is ISO 8601 in UTC. \`heartbeat\` exists only on the wire: it is not stored and
has no id. Times in payloads are milliseconds since 1970, money is micro-dollars. A \`?\` marks fields that may be absent.`;

function renderEvent(type: EventType): string {
  const shape: Readonly<Record<string, z.core.$ZodType>> = EVENT_PAYLOADS[type].shape;
  const rows = Object.entries(shape).map(([name, schema]) => {
    const isOptional = z.safeParse(schema, undefined).success;
    return `| \`${name}\`${isOptional ? "?" : ""} | ${typeText(z.toJSONSchema(schema, { io: "input" }))} |`;
  });
  return `### \`${type}\`\n\n${MEANINGS[type]}\n\n| Field | Type |\n|---|---|\n${rows.join("\n")}`;
}

type Schema = z.core.JSONSchema.BaseSchema;

function typeText(schema: Schema): string {
  if (schema.$ref !== undefined) return "any JSON";
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (schema.anyOf !== undefined) return unionText(schema.anyOf);
  switch (schema.type) {
    case "array":
      return `list of ${typeof schema.items === "object" && !Array.isArray(schema.items) ? typeText(schema.items) : "any JSON"}`;
    case "object":
      return schema.properties === undefined ? "object" : `{${Object.keys(schema.properties).join(", ")}}`;
    case "string":
      return "text";
    case "integer":
    case "number":
    case "boolean":
      return schema.type;
    default:
      return "any JSON";
  }
}

/** JSON itself is written as a union of all its kinds. */
function unionText(options: readonly (Schema | boolean)[]): string {
  const schemas = options.filter((option) => typeof option === "object");
  const isNull = (schema: Schema): boolean => schema.type === "null";
  if (schemas.length > 2) return "any JSON";
  const texts = schemas.filter((schema) => !isNull(schema)).map(typeText);
  return schemas.some(isNull) ? `${texts.join(" or ")} or null` : texts.join(" or ");
}
