import { isNotLeaving, NOW_MS, type Sql } from "../sql.ts";
import { lowerPriorityShare, type WaitingStore } from "../waiting-store.ts";
import { bigint, Columns, int, text } from "./columns.ts";

export function sqlWaiting(sql: Sql): WaitingStore {
  return {
    backlogQueues: async (limit) => QUEUE.all(await sql.query(QUEUES, [limit])),
    claimWaiting: async ({ orgId, queue }, replicaId, limit) => {
      const claimed = CLAIMED.all(await sql.query(CLAIM, [orgId, queue, replicaId, limit, lowerPriorityShare(limit)]));
      return claimed.toSorted((left, right) => left.rank - right.rank || left.since - right.since);
    },
    releaseWaiting: async (limit) => (await sql.query(RELEASE, [limit])).length,
  };
}

const QUEUE = new Columns({ orgId: text, queue: text });
const CLAIMED = new Columns({ runId: text, nodeId: text, rank: int, since: bigint });

/** Jumps from queue to queue in the index, without reading the rows between. */
const QUEUES = {
  name: "backlog queues",
  text: `with recursive found as (
      (select org_id, queue from waiting_nodes where replica_id is null order by org_id, queue limit 1)
      union all
      select next.org_id, next.queue from found cross join lateral (
        select w.org_id, w.queue from waiting_nodes w
        where w.replica_id is null and (w.org_id, w.queue) > (found.org_id, found.queue)
        order by w.org_id, w.queue limit 1) next
    )
    select org_id, queue from found limit $1`,
};

/** Claims the first nodes of all, and some of each lower priority, so that no node waits for ever. */
const CLAIM = {
  name: "claim waiting nodes",
  text: `with picked as (
      select found.run_id, found.node_id
      from (values (0, $4::int), (2, $5::int), (4, $5::int)) as level (rank, most) cross join lateral (
        select run_id, node_id from waiting_nodes w
        where w.org_id = $1 and w.queue = $2 and w.replica_id is null and w.rank >= level.rank
        order by w.rank, w.since, w.run_id, w.node_id limit level.most
        for update skip locked) found
    )
    update waiting_nodes w set replica_id = $3 from picked p where w.run_id = p.run_id and w.node_id = p.node_id
    returning ${CLAIMED.list("w")}`,
};

const RELEASE = {
  name: "release waiting nodes",
  skipsMovingOrganisation: true,
  text: `with orphans as (
      select w.run_id, w.node_id from waiting_nodes w
      where w.replica_id is not null
        and not exists (select from replicas r where r.replica_id = w.replica_id and r.expires_at > ${NOW_MS})
        and ${isNotLeaving("w.org_id")}
      limit $1
      for update skip locked
    )
    update waiting_nodes w set replica_id = null from orphans o where w.run_id = o.run_id and w.node_id = o.node_id
    returning 1 as freed`,
};
