import { compressBodies } from "./compression.ts";
import type { Migration } from "./migration.ts";

/**
 * Nodes that wait at a gate get a table of their own: one row has the place in the queue, the deadline and the replica
 * that serves the node. Nodes that waited as timers before go into an unnamed queue and are checked again.
 */
export const WAITING_NODES: Migration = {
  version: 18,
  name: "waiting nodes",
  // An older replica would search for waiting nodes among the timers, and these nodes would wait for ever.
  minReader: 18,
  statements: [
    `create table waiting_nodes (
      run_id text collate "C" not null,
      node_id text collate "C" not null,
      org_id text collate "C" not null,
      queue text collate "C" not null,
      rank int not null,
      since bigint not null,
      due_at bigint not null,
      replica_id text collate "C",
      primary key (run_id, node_id)
    )`,
    `create index waiting_nodes_due on waiting_nodes (due_at)`,
    `create index waiting_nodes_backlog on waiting_nodes (org_id, queue, rank, since, run_id, node_id)
      where replica_id is null`,
    `create index waiting_nodes_claimed on waiting_nodes (replica_id) where replica_id is not null`,
    `insert into waiting_nodes (run_id, node_id, org_id, queue, rank, since, due_at)
      select distinct on (run_id, key::json ->> 'nodeId') run_id, key::json ->> 'nodeId', org_id, '', 0,
        (key::json ->> 'limitedSince')::bigint, due_at
      from timers join run_heads h using (run_id, org_id)
      where key like '{"kind":"queue"%' and h.status in ('queued', 'running', 'recovered')
      order by run_id, key::json ->> 'nodeId', due_at desc`,
    `delete from timers where key like '{"kind":"queue"%'`,
    // The index counts open runs by organisation.
    `drop index run_heads_open`,
    `create index run_heads_open on run_heads (org_id, run_id) where status in ('queued', 'running', 'recovered')`,
    compressBodies(["blobs"]),
  ],
};
