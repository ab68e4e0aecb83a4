import type { PauseFact } from "../../core/event/index.ts";
import { type PauseStore, WHOLE_ORGANISATION } from "../pause-store.ts";
import type { Sql } from "../sql.ts";
import { bigint, Columns, optional, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";
import { sqlAudit } from "./sql-audit.ts";
import { configure } from "./sql-config.ts";

export function sqlPauses(sql: Sql): PauseStore {
  return {
    pausesOf: async (orgId) => {
      const rows = PAUSE.all(await sql.query(LIST, [orgId]));
      return new Map(rows.map(({ workflow, by, reason, at }): [string, PauseFact] => [workflow, { by, reason, at }]));
    },
    pause: (orgId, workflow, pause, audit = []) =>
      configure(sql, orgId, async (within) => {
        if (!(await setStatus(within, orgId, workflow, "paused"))) return UNKNOWN;
        await within.query(PUT, [orgId, ...PAUSE.values({ workflow: workflow ?? WHOLE_ORGANISATION, ...pause })]);
        await sqlAudit(within).appendAudit(orgId, audit);
        return CHANGED;
      }),
    resume: (orgId, workflow, audit = []) =>
      configure(sql, orgId, async (within) => {
        if (!(await setStatus(within, orgId, workflow, "active"))) return UNKNOWN;
        await within.query(DELETE, [orgId, workflow ?? WHOLE_ORGANISATION]);
        await sqlAudit(within).appendAudit(orgId, audit);
        return CHANGED;
      }),
    openRunsOf: async (orgId, workflow, after, limit) => {
      const rows = await sql.query<{ run_id: string }>(OPEN_RUNS, [orgId, workflow, after, limit]);
      return rows.map(({ run_id }) => run_id);
    },
  };
}

const CHANGED = { result: true, isChanged: true };
const UNKNOWN = { result: false, isChanged: false };

/** Returns false when the workflow does not exist. */
async function setStatus(sql: Sql, orgId: string, workflow: string | null, status: string): Promise<boolean> {
  return workflow === null || (await lookUp(sql, SET_STATUS, [orgId, workflow, status])).length > 0;
}

const PAUSE = new Columns({ workflow: text, by: optional(text), reason: optional(text), at: bigint });

const LIST = { name: "list pauses", text: `select ${PAUSE.list()} from pauses where org_id = $1` };
const PUT = {
  name: "put pause",
  text: `insert into pauses (org_id, ${PAUSE.list()}) values ($1, $2, $3, $4, $5) on conflict do nothing`,
};
const DELETE = { name: "delete pause", text: "delete from pauses where org_id = $1 and workflow = $2" };
const SET_STATUS = {
  name: "set status of paused workflow",
  text: "update workflows set status = $3 where org_id = $1 and name = $2 returning name",
};
const OPEN_RUNS = {
  name: "open runs of workflow",
  text: `select h.run_id from run_heads h join runs r using (run_id)
    where h.org_id = $1 and h.status in ('queued', 'running', 'recovered') and h.run_id > $3
      and ($2::text is null or r.workflow = $2)
    order by h.run_id limit $4`,
};
