import { compareCodeUnits } from "../../core/base/index.ts";
import { appendedAuditId } from "../audit-id.ts";
import type { ErasureStore } from "../erasure-store.ts";
import {
  type DeletedFamily,
  type Deletion,
  type FamilyMember,
  type HistoryStore,
  isSameFamily,
} from "../history-store.ts";
import { arrayLiteral, NOW_MS, type Sql, type Statement } from "../sql.ts";
import { removeUnusedBlobs } from "./blob-rows.ts";
import { boolean, Columns, int, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";
import { sqlArchives } from "./sql-archives.ts";
import { sqlEnded } from "./sql-ended.ts";

export function sqlHistory(sql: Sql): Omit<HistoryStore, keyof ErasureStore> {
  return {
    deleteFamily: (orgId, runId, note, as) =>
      sql.transaction(async (within) => {
        const found = await closedFamily(within, orgId, runId, as);
        if (found.kind !== "deleted") return found;
        await removeRuns(within, orgId, found.runIds);
        await within.query(APPEND_AUDIT, [appendedAuditId(), orgId, JSON.stringify([note(found)])]);
        return found;
      }),
    deleteFamilies: (orgId, families, note) =>
      sql.transaction(async (within) => {
        const gone: DeletedFamily[] = [];
        // Sorted in the order in which commits lock runs.
        for (const { runId, as } of families.toSorted((left, right) => compareCodeUnits(left.runId, right.runId))) {
          const found = await closedFamily(within, orgId, runId, as);
          if (found.kind === "deleted") gone.push(found);
        }
        if (gone.length === 0) return 0;
        await removeRuns(
          within,
          orgId,
          gone.flatMap(({ runIds }) => runIds),
        );
        await within.query(APPEND_AUDIT, [appendedAuditId(), orgId, JSON.stringify(gone.map(note))]);
        return gone.length;
      }),
    familyOf: async (orgId, runId) => {
      const [run] = await lookUp(sql, FIND, [orgId, runId]);
      if (run === undefined) return [];
      return MEMBER.all(await sql.query(FAMILY, [runId]));
    },
    ...sqlEnded(sql),
    ...sqlArchives(sql),
  };
}

const OPEN = "('queued', 'running', 'recovered')";

const FIND = {
  name: "find run to delete",
  text: "select workflow from runs where org_id = $1 and run_id = $2",
};
/** The highest ancestor that still exists. */
const ROOT = {
  name: "root of run",
  text: `with recursive up (run_id, parent_run_id, height) as (
      select r.run_id, r.parent_run_id, 0 from runs r where r.run_id = $1
      union all
      select p.run_id, p.parent_run_id, up.height + 1 from up join runs p on p.run_id = up.parent_run_id
    ) select run_id from up order by height desc limit 1`,
};
const MEMBER = new Columns({ runId: text, rowVersion: int, isOpen: boolean });
const FAMILY = {
  name: "family of run",
  text: `with recursive down (run_id, depth) as (
      select $1::text collate "C", 0
      union all
      select c.run_id, down.depth + 1 from down join runs c on c.parent_run_id = down.run_id
    ) select h.run_id, h.row_version, h.status in ${OPEN} as is_open from down join run_heads h using (run_id)
    order by down.depth, h.run_id`,
};
/** Locks the heads. A statement that would reopen one of the runs waits for the lock, and then finds the run deleted. */
const LOCK_HEADS = {
  name: "lock heads of family",
  text: `select run_id, row_version, status in ${OPEN} as is_open from run_heads where run_id = any($1::text[])
    order by run_id for update`,
};
const STARTED_FROM = {
  name: "open run started from family",
  text: `select r.run_id from runs r join run_heads h using (run_id)
    where r.source_run_id = any($1::text[]) and h.status in ${OPEN} and r.run_id <> all($1::text[])
    order by r.run_id limit 1`,
};
const APPEND_AUDIT = {
  name: "append audit of history",
  text: `insert into audit_pending (id, org_id, at, body) values ($1, $2, ${NOW_MS}, $3)`,
};

/** Returns the locked family, if no run of it is open and no open run needs it. */
async function closedFamily(sql: Sql, orgId: string, runId: string, as?: readonly FamilyMember[]): Promise<Deletion> {
  const [run] = await lookUp<{ workflow: string }>(sql, FIND, [orgId, runId]);
  if (run === undefined) return { kind: "unknown" };
  const [root] = await sql.query<{ run_id: string }>(ROOT, [runId]);
  if (root !== undefined && root.run_id !== runId) return { kind: "child", rootRunId: root.run_id };
  const runIds = MEMBER.all(await sql.query(FAMILY, [runId])).map((member) => member.runId);
  const ids = arrayLiteral(runIds);
  const members = MEMBER.all(await sql.query(LOCK_HEADS, [ids]));
  const open = members.find(({ isOpen }) => isOpen);
  if (open !== undefined) return { kind: "open", runId: open.runId };
  // Another caller deleted the run while this one waited for the lock.
  if (members.length === 0) return { kind: "unknown" };
  if (as !== undefined && !isSameFamily(as, members)) return { kind: "changed" };
  const [user] = await sql.query<{ run_id: string }>(STARTED_FROM, [ids]);
  if (user !== undefined) return { kind: "in_use", by: user.run_id };
  return { kind: "deleted", runId, workflow: run.workflow, runIds };
}

/** Tables whose rows belong to one approval. */
const OF_APPROVALS = ["approval_comments", "approval_tickets", "channel_postings"];

/** Tables whose rows belong to one run, the run itself last. */
const OF_RUNS = [
  "event_blocks",
  "verdict_blocks",
  "attempt_reports",
  "agent_memories",
  "open_attempts",
  "timers",
  "waiting_nodes",
  "event_waiters",
  "run_places",
  "approvals",
  "idempotency_keys",
  "webhook_feeds",
  "webhook_deliveries",
  "file_references",
  "run_imports",
  "run_erasures",
  "run_facets",
  "run_words",
  "unindexed_runs",
  "run_heads",
  "runs",
];

const REMOVE_OF_APPROVALS: readonly Statement[] = OF_APPROVALS.map((table) => ({
  name: `remove ${table} of runs`,
  text: `delete from ${table} where approval_id in (select id from approvals where run_id = any($1::text[]))`,
}));
const REMOVE_OF_RUNS: readonly Statement[] = OF_RUNS.map((table) => ({
  name: `remove ${table} of runs`,
  text: `delete from ${table} where run_id = any($1::text[])`,
}));

async function removeRuns(sql: Sql, orgId: string, runIds: readonly string[]): Promise<void> {
  const ids = arrayLiteral(runIds);
  for (const statement of REMOVE_OF_APPROVALS) await sql.query(statement, [ids]);
  await removeUnusedBlobs(sql, orgId, runIds);
  for (const statement of REMOVE_OF_RUNS) await sql.query(statement, [ids]);
}
