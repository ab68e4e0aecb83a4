import { WAITING_FOR } from "../../core/event/index.ts";
import { oneOf, type Migration } from "./migration.ts";

/** Adds what a run waits for to its head. For open runs it is derived from the stored attempts, timers and approvals. */
export const WAITS_FOR: Migration = {
  version: 25,
  name: "waiting for",
  // An older replica would not update the column.
  minReader: 25,
  statements: [
    `alter table run_heads add column waiting_for text ${oneOf("waiting_for", WAITING_FOR)}`,
    `update run_heads h set waiting_for = 'gate' where status in ('queued', 'running', 'recovered')
      and exists (select from waiting_nodes w where w.run_id = h.run_id)
      and not exists (select from open_attempts a where a.run_id = h.run_id)`,
    `update run_heads h set waiting_for = 'person' where status in ('queued', 'running', 'recovered')
      and exists (select from approvals a where a.run_id = h.run_id and a.status = 'pending')`,
    `create index run_heads_waiting on run_heads (org_id, waiting_for, run_id) where waiting_for is not null`,
  ],
};
