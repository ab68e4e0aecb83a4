import { required } from "../../core/base/index.ts";
import { NOW_MS, type Sql } from "../sql.ts";
import { IDEMPOTENCY_MS, type IdempotencyScope } from "../idempotency-scope.ts";
import type { CommitOutcome, RunCommit } from "../store.ts";
import { Columns, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";

type Claim = IdempotencyScope & { readonly bodyHash: string; readonly runId: string };
type Duplicate = CommitOutcome["duplicates"][number];

const SCOPE = new Columns({ orgId: text, keyId: text, workflow: text, key: text });
const HOLDER = new Columns({ runId: text, bodyHash: text });
const KEY_CLAIM = new Columns({ ...SCOPE.fields, ...HOLDER.fields });

/** Claims keys. A taken key that has expired is claimed again; a key in an uncommitted transaction of another run is waited for. */
const CLAIM = {
  name: "claim idempotency keys",
  text: `insert into idempotency_keys as k (${KEY_CLAIM.list()}, created_at)
    select i.*, ${NOW_MS} from ${KEY_CLAIM.unnest()}
    order by i.org_id, i.key_id, i.workflow, i.key
    on conflict (org_id, key_id, workflow, key) do update
      set run_id = excluded.run_id, body_hash = excluded.body_hash, created_at = excluded.created_at
      where k.created_at <= ${NOW_MS} - ${IDEMPOTENCY_MS}
    returning run_id`,
};

const FIND = {
  name: "find idempotency key",
  text: `select ${HOLDER.list()} from idempotency_keys
    where org_id = $1 and key_id = $2 and workflow = $3 and key = $4 and created_at > ${NOW_MS} - ${IDEMPOTENCY_MS}`,
};

const RELEASE = {
  name: "release idempotency keys",
  text: `delete from idempotency_keys where (org_id, key_id, workflow, key) in (
    select * from ${SCOPE.unnest()})`,
};

/** Claims the keys of new runs. Runs whose key belongs to another run are returned separately. */
export async function claimKeys(
  sql: Sql,
  commits: readonly RunCommit[],
): Promise<{ readonly claimed: readonly Claim[]; readonly duplicates: readonly Duplicate[] }> {
  const claims = commits.flatMap(({ runId, create }): Claim[] => {
    const scope = create?.idempotency ?? null;
    return scope === null ? [] : [{ ...scope, runId }];
  });
  if (claims.length === 0) return { claimed: [], duplicates: [] };
  const first = new Map<string, Claim>();
  for (const claim of claims) {
    const scope = scopeText(claim);
    if (!first.has(scope)) first.set(scope, claim);
  }
  const asked = [...first.values()];
  const rows = await sql.query<{ run_id: string }>(CLAIM, KEY_CLAIM.batch(asked));
  const own = new Set(rows.map((row) => row.run_id));
  const duplicates: Duplicate[] = [];
  for (const claim of claims.filter(({ runId }) => !own.has(runId))) {
    const holder = required(await findKey(sql, claim), "a key that cannot be claimed is held");
    duplicates.push({ runId: claim.runId, existingRunId: holder.runId, bodyHash: holder.bodyHash });
  }
  return { claimed: claims.filter(({ runId }) => own.has(runId)), duplicates };
}

function scopeText({ orgId, keyId, workflow, key }: IdempotencyScope): string {
  return JSON.stringify([orgId, keyId, workflow, key]);
}

/** Releases keys that were claimed in this transaction for runs that were not created. */
export async function releaseKeys(sql: Sql, claims: readonly Claim[]): Promise<void> {
  if (claims.length > 0) await sql.query(RELEASE, SCOPE.batch(claims));
}

export async function findKey(
  sql: Sql,
  scope: IdempotencyScope,
): Promise<{ readonly runId: string; readonly bodyHash: string } | undefined> {
  return HOLDER.first(await lookUp(sql, FIND, SCOPE.values(scope)));
}
