import type { Migration } from "./migration.ts";

/**
 * Fields of each tag: the name in the view, and the path in the event. These fields are never moved to blobs, which
 * take only data written by authors and models.
 */
const TAGS: Readonly<Record<string, { readonly tag: string; readonly fields: Readonly<Record<string, string>> }>> = {
  "node.started": { tag: "node_started", fields: { attempt: "attempt", wave: "wave" } },
  "node.retried": { tag: "node_retried", fields: { attempt: "attempt", cause: "cause", delay_ms: "delayMs" } },
  "moderation.flagged": { tag: "moderation_flagged", fields: { phase: "phase" } },
  "contract.violated": { tag: "contract_violated", fields: { phase: "phase", errors: "errors" } },
  "node.timed_out": { tag: "timed_out", fields: { timeout_ms: "timeoutMs" } },
  "node.failed": { tag: "node_failed", fields: { error_code: "errorCode", error_message: "errorMessage" } },
  "node.completed": {
    tag: "node_completed",
    fields: { duration_ms: "durationMs", input_tokens: "inputTokens", output_tokens: "outputTokens" },
  },
  "node.cancelled": { tag: "node_cancelled", fields: {} },
};

function metadataOf(fields: Readonly<Record<string, string>>): string {
  const members = Object.entries(fields).map(([name, key]) => `'${name}', logged.event #> '{payload,${key}}'`);
  return `jsonb_build_object(${members.join(", ")})`;
}

function eachTag(result: (type: string) => string): string {
  const cases = Object.keys(TAGS).map((type) => `when '${type}' then ${result(type)}`);
  return `case logged.event ->> 'type'\n        ${cases.join("\n        ")}\n      end`;
}

/**
 * A log may contain texts that JSON can escape but `jsonb` cannot store: NUL, and halves of surrogate pairs. The view
 * reads each as the replacement character, so that one such text does not make the whole view fail.
 */
const READABLE = String.raw`regexp_replace(blocks.body, '\\u(0000|d[89a-f][0-9a-f]{2})', '\\ufffd', 'g')::jsonb`;

/** A view of node events as tags, which external tools can query. */
export const EXECUTION_TAGS: Migration = {
  version: 12,
  name: "execution tags",
  minReader: 8,
  statements: [
    `create view execution_tags (run_id, node_id, tag, metadata) as
    select
      blocks.run_id,
      logged.event #>> '{payload,nodeId}',
      ${eachTag((type) => `'${TAGS[type]?.tag ?? ""}'`)},
      ${eachTag((type) => metadataOf(TAGS[type]?.fields ?? {}))}
    from event_blocks blocks
    cross join lateral jsonb_array_elements(${READABLE}) as logged (event)
    where logged.event ->> 'type' in (${Object.keys(TAGS)
      .map((type) => `'${type}'`)
      .join(", ")})`,
  ],
};
