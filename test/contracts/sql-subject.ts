import { createSqlStore, type Sql } from "../../src/store/index.ts";
import type { Subject } from "./store-contract.ts";

const TABLES = [
  "runs",
  "run_heads",
  "event_blocks",
  "blobs",
  "blob_references",
  "open_attempts",
  "timers",
  "waiting_nodes",
  "approvals",
  "idempotency_keys",
  "replicas",
  "workers",
  "organisations",
  "definitions",
  "workflows",
  "workflow_versions",
  "keys",
  "registry",
  "gateway_links",
  "gateway_history",
  "attempt_reports",
  "installation_secrets",
  "audit_pending",
  "audit_heads",
  "audit_records",
  "audit_segments",
  "audit_open",
  "audit_blocks",
  "audit_facets",
  "agent_counters",
  "envelope_counters",
  "usage_records",
  "verdict_blocks",
  "told_once",
  "launch_approvals",
  "agent_memories",
  "organisation_config",
  "entry_secrets",
  "schedule_cursors",
  "schedule_slots",
  "webhook_subscriptions",
  "webhook_cursors",
  "webhook_feeds",
  "webhook_deliveries",
  "workflow_hooks",
  "trigger_deliveries",
  "alert_leases",
  "files",
  "file_references",
  "file_uploads",
  "file_upload_parts",
  "file_garbage",
  "persons",
  "memberships",
  "invitations",
  "sessions",
  "channel_turns",
  "channel_postings",
  "approval_tickets",
  "received_events",
  "event_waiters",
  "run_places",
  "run_facets",
  "run_words",
  "unindexed_runs",
  "usage_sums",
  "late_usage",
  "usage_rolling",
  "run_trends",
  "saved_views",
  "run_imports",
  "run_archives",
  "run_erasures",
  "audit_salts",
  "audit_texts",
];

/** One statement; truncating would make new files for every table each time. */
const RESET = {
  name: "reset",
  text: `with ${TABLES.map((table) => `${table}_gone as (delete from ${table})`).join(", ")} select 1`,
};

/** Sealed audit can be changed only by a session with this setting. */
const ALLOW_PRUNING = { name: "allow pruning", text: "select set_config('sluice.prune', 'on', true)" };

/** Time cannot be made to pass in a database, but everything it is compared with can be made older. */
const AGED = [
  ["idempotency_keys", "created_at"],
  ["open_attempts", "worker_until"],
  ["workers", "expires_at"],
  ["replicas", "expires_at"],
  ["timers", "due_at"],
  ["waiting_nodes", "due_at"],
  ["open_attempts", "deadline_at"],
  ["webhook_deliveries", "next_at"],
  ["webhook_deliveries", "created_at"],
  ["webhook_deliveries", "held_until"],
  ["approval_tickets", "held_until"],
  ["approval_tickets", "expires_at"],
  ["webhook_cursors", "held_until"],
  ["webhook_cursors", "swept_at"],
  ["alert_leases", "expires_at"],
  ["files", "created_at"],
  ["files", "claimed_at"],
  ["file_uploads", "created_at"],
  ["trigger_deliveries", "received_at"],
  ["memberships", "deputy_from"],
  ["memberships", "deputy_until"],
  ["invitations", "expires_at"],
  ["sessions", "last_seen_at"],
  ["sessions", "expires_at"],
  ["received_events", "received_at"],
  ["received_events", "expires_at"],
  ["received_events", "marked_at"],
  ["event_waiters", "marked_at"],
] as const;

/** The moments of turns stand in a list. */
function agedTurns(ms: number): string {
  return `update channel_turns set taken =
    (select coalesce(json_agg(at::bigint - ${ms})::text, '[]') from json_array_elements_text(taken::json) as at)`;
}

export function sqlSubject(sql: Sql, rival: Sql, cleanUp: () => Promise<void>): Subject {
  return {
    store: createSqlStore(sql),
    rival: createSqlStore(rival),
    passTime: async (ms) => {
      for (const [table, column] of AGED) {
        await sql.query({ name: "", text: `update ${table} set ${column} = ${column} - ${ms}` });
      }
      await sql.query({ name: "", text: agedTurns(ms) });
    },
    reset: () =>
      sql.transaction(async (within) => {
        await within.query(ALLOW_PRUNING);
        await within.query(RESET);
      }),
    close: async () => {
      await sql.close();
      await rival.close();
      await cleanUp();
    },
  };
}
