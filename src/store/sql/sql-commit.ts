import { Bug } from "../../core/base/index.ts";
import { checkBatch, inLockOrder } from "../commit-check.ts";
import { packEvents } from "../event-pack.ts";
import type { Sql } from "../sql.ts";
import type { CommitOutcome, RunCommit } from "../store.ts";
import { writeApprovals } from "./approval-rows.ts";
import { writeBlobs } from "./blob-rows.ts";
import { rowsOf } from "./commit-parts.ts";
import { commitStatement } from "./commit-statement.ts";
import { compressible } from "./compressible.ts";
import { writeFileReferences } from "./file-reference-rows.ts";
import { claimKeys, releaseKeys } from "./idempotency-rows.ts";
import { writeReports } from "./sql-reports.ts";
import { isIn, isLimitPassed, NOT_NULL, sqlState, TAKEN } from "./sql-state.ts";
import { forgetVerdictParts, writeVerdictParts } from "./verdict-part-rows.ts";

/** Two programs that write the same runs may deadlock. The one that the database aborts tries again, at most so many times. */
const TRIES = 4;
const RETRYABLE_STATES = new Set(["40001", "40P01"]);

export async function commitToSql(sql: Sql, batch: readonly RunCommit[]): Promise<CommitOutcome> {
  if (batch.length === 0) return { isOverLimit: false, conflicts: [], duplicates: [] };
  checkBatch(batch);
  const packed = pack(inLockOrder(batch));
  for (let tried = 1; ; tried += 1) {
    try {
      await writeVerdictParts(sql, batch);
      return packed.isPlain
        ? conflictsOf(batch, await writeRuns(sql, packed))
        : await sql.transaction((within) => writeAll(within, packed, batch));
    } catch (error) {
      const code = sqlState(error);
      if (code === TAKEN && isIn(error, SLOTS)) return { isOverLimit: true, conflicts: [], duplicates: [] };
      if (isLimitPassed(error)) return { isOverLimit: true, conflicts: [], duplicates: [] };
      forgetVerdictParts(sql);
      if (code === NOT_NULL) throw new Bug("the events of a commit do not follow the log", { cause: error });
      if (!RETRYABLE_STATES.has(code) || tried === TRIES) throw error;
    }
  }
}

/** Tables whose unique index fails when another run has taken the place. */
const SLOTS: ReadonlySet<unknown> = new Set(["run_places"]);

interface PackedBatch {
  readonly commits: readonly RunCommit[];
  readonly bodies: ReadonlyMap<string, string>;
  /** JSON text by digest, for each run. */
  readonly blobs: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** True when one statement can write the batch. */
  readonly isPlain: boolean;
}

function pack(commits: readonly RunCommit[]): PackedBatch {
  const bodies = new Map<string, string>();
  const blobs = new Map<string, ReadonlyMap<string, string>>();
  let isPlain = true;
  for (const commit of commits) {
    const { runId, events, create, approvalsOpened, approvalsChanged, approvalsClosed, reports, files } = commit;
    const packed = packEvents(events);
    if (events.length > 0) bodies.set(runId, compressible(packed.body));
    if (packed.blobs.size > 0) blobs.set(runId, packed.blobs);
    const rare = [approvalsOpened, approvalsChanged, approvalsClosed, reports, files];
    const isRare = packed.blobs.size > 0 || rare.some(({ length }) => length > 0);
    if (isRare || (create !== null && create.idempotency !== null)) isPlain = false;
  }
  return { commits, bodies, blobs, isPlain };
}

/** Writes the batch. Returns the runs whose share was written. */
async function writeRuns(sql: Sql, { commits, bodies }: PackedBatch): Promise<ReadonlySet<string>> {
  if (commits.length === 0) return new Set();
  const { statement, params } = commitStatement(rowsOf(commits, bodies));
  const won = await sql.query<{ run_id: string }>(statement, params);
  return new Set(won.map((row) => row.run_id));
}

function conflictsOf(commits: readonly RunCommit[], won: ReadonlySet<string>): CommitOutcome {
  const conflicts = commits.filter(({ runId }) => !won.has(runId)).map(({ runId }) => runId);
  return { isOverLimit: false, conflicts, duplicates: [] };
}

/** Writes a batch with rare parts: first claims keys in the order of the batch; then writes the other parts for the runs written. */
async function writeAll(sql: Sql, packed: PackedBatch, batch: readonly RunCommit[]): Promise<CommitOutcome> {
  const { claimed, duplicates } = await claimKeys(sql, batch);
  const refused = new Set(duplicates.map(({ runId }) => runId));
  const commits = packed.commits.filter(({ runId }) => !refused.has(runId));
  const won = await writeRuns(sql, { ...packed, commits });
  const { conflicts } = conflictsOf(commits, won);
  await releaseKeys(
    sql,
    claimed.filter(({ runId }) => !won.has(runId)),
  );
  const written = commits.filter(({ runId }) => won.has(runId));
  await writeApprovals(sql, written);
  await writeBlobs(sql, written, packed.blobs);
  await writeReports(sql, written);
  await writeFileReferences(sql, written);
  return { isOverLimit: false, conflicts, duplicates };
}
