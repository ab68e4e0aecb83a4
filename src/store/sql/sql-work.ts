import type { JsonObject } from "../../core/base/index.ts";
import { NOW_MS, type Sql } from "../sql.ts";
import type { WorkKey, WorkStore } from "../work-store.ts";
import { Columns, int, parsed, text } from "./columns.ts";

export function sqlWork(sql: Sql): WorkStore {
  return {
    claimWork: async (orgId, functions, takers, ttlMs) =>
      CLAIMED.all(await sql.query(CLAIM, [orgId, functions, takers, takers.length, ttlMs])),
    renewWork: async (orgId, workerId, held, ttlMs) =>
      held.length === 0 ? [] : KEY.all(await sql.query(RENEW, [orgId, workerId, ttlMs, ...KEY.batch(keysOf(held))])),
    releaseWork: async (orgId, workerId, kept) =>
      (await sql.query(RELEASE, [orgId, workerId, ...KEY.batch(keysOf(kept))])).length,
    returnWork: async (orgId, work) => {
      await sql.query(RETURN, [orgId, ...HELD.batch(work)]);
    },
    lostWork: async (limit) => KEY.all(await sql.query(LOST, [limit])),
    putWorker: async (orgId, { workerId, functions }, ttlMs) => {
      await sql.query(PUT, [orgId, workerId, JSON.stringify(functions), ttlMs]);
    },
    removeWorker: async (orgId, workerId) => {
      await sql.query(REMOVE, [orgId, workerId]);
    },
    listWorkers: async (orgId) => WORKER.all(await sql.query(LIST, [orgId])),
    listOffered: async (orgIds) => OFFERED.all(await sql.query(LIST_OFFERED, [orgIds])),
  };
}

const KEY = new Columns({ runId: text, nodeId: text, attempt: int });
const HELD = new Columns({ ...KEY.fields, workerId: text });
const CLAIMED = new Columns({ ...HELD.fields, request: parsed<JsonObject>() }, { request: "work" });
const OFFERED = new Columns({ orgId: text, name: text });
const WORKER = new Columns({ workerId: text, functions: parsed<readonly string[]>() });

function keysOf(held: readonly WorkKey[]): readonly WorkKey[] {
  return held.map(({ runId, nodeId, attempt }) => ({ runId, nodeId, attempt }));
}

const CLAIM = {
  name: "claim work",
  text: `with open as (
      select run_id, node_id, attempt from open_attempts
      where org_id = $1 and function = any($2::text[])
        and (worker_until is null or (worker_until < ${NOW_MS} and not is_once))
      order by offered_at, run_id, node_id, attempt limit $4
      for update skip locked
    ), placed as (select o.*, row_number() over () as place from open o)
    update open_attempts a set worker_id = ($3::text[])[p.place], worker_until = ${NOW_MS} + $5::bigint from placed p
    where a.run_id = p.run_id and a.node_id = p.node_id and a.attempt = p.attempt
    returning ${CLAIMED.list("a")}`,
};

const RENEW = {
  name: "renew work",
  text: `update open_attempts a set worker_until = ${NOW_MS} + $3::bigint from ${KEY.unnest(4)}
    where a.run_id = i.run_id and a.node_id = i.node_id and a.attempt = i.attempt
      and a.org_id = $1 and a.worker_id = $2
    returning ${KEY.list("a")}`,
};

const RELEASE = {
  name: "release work",
  text: `update open_attempts a set worker_id = null, worker_until = null
    where a.org_id = $1 and a.function is not null and a.worker_id = $2
      and not exists (select from ${KEY.unnest(3)}
        where a.run_id = i.run_id and a.node_id = i.node_id and a.attempt = i.attempt)
    returning a.run_id`,
};

const RETURN = {
  name: "return work",
  text: `update open_attempts a set worker_id = null, worker_until = null from ${HELD.unnest(2)}
    where a.run_id = i.run_id and a.node_id = i.node_id and a.attempt = i.attempt
      and a.org_id = $1 and a.worker_id = i.worker_id`,
};

const LOST = {
  name: "lost work",
  text: `select ${KEY.list()} from open_attempts
    where function is not null and is_once and worker_until < ${NOW_MS}
    order by run_id, node_id, attempt limit $1`,
};

/** Writes a worker, and deletes workers that expired more than a minute ago. */
const PUT = {
  name: "put worker",
  text: `with gone as (delete from workers where expires_at < ${NOW_MS} - 60000)
    insert into workers (org_id, worker_id, functions, expires_at) values ($1, $2, $3, ${NOW_MS} + $4::bigint)
    on conflict (org_id, worker_id) do update set functions = excluded.functions, expires_at = excluded.expires_at`,
};

const REMOVE = { name: "remove worker", text: "delete from workers where org_id = $1 and worker_id = $2" };

const LIST_OFFERED = {
  name: "list offered functions",
  text: `select distinct w.org_id, f.name
    from workers w cross join lateral json_array_elements_text(w.functions::json) as f(name)
    where w.org_id = any($1::text[]) and w.expires_at > ${NOW_MS} order by 1, 2`,
};
const LIST = {
  name: "list workers",
  text: `select worker_id, functions from workers where org_id = $1 and expires_at > ${NOW_MS} order by worker_id`,
};
