import { type AgentMemoryStore, MEMORY_ENTRIES_MAX, memoryEntryId } from "../agent-memory-store.ts";
import { appendedAuditId } from "../audit-id.ts";
import { decodeCursor, listed } from "../cursor.ts";
import { arrayLiteral, type Sql } from "../sql.ts";
import { bigint, Columns, int, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";

export function sqlAgentMemory(sql: Sql): AgentMemoryStore {
  return {
    readMemories: async (orgId, memories) => {
      if (memories.length === 0) return [];
      const agents = arrayLiteral(memories.map(({ agentId }) => agentId));
      const profiles = arrayLiteral(memories.map(({ profile }) => profile));
      return MEMORY.all(await sql.query(READ, [orgId, agents, profiles, MEMORY_ENTRIES_MAX]));
    },
    listMemory: async (orgId, agentId, page) => {
      const { at = null, id = null } = decodeCursor(page.cursor) ?? {};
      const rows = await lookUp(sql, LIST, [orgId, agentId, at, id, page.limit + 1]);
      return listed(MEMORY.all(rows), page.limit, (entry) => ({ at: entry.at, id: memoryEntryId(entry) }));
    },
    forgetMemory: async (orgId, agentId, entry) => {
      const body = JSON.stringify([entry]);
      const [row] = await lookUp<{ gone: number }>(sql, FORGET, [orgId, agentId, appendedAuditId(), entry.at, body]);
      return row?.gone ?? 0;
    },
    pruneMemories: async (limit) => (await sql.query(PRUNE, [MEMORY_ENTRIES_MAX, limit])).length,
  };
}

export const MEMORY = new Columns({
  agentId: text,
  profile: text,
  at: bigint,
  workflow: text,
  runId: text,
  nodeId: text,
  attempt: int,
  text,
});

/** Reads the newest entries of each memory by the primary key, even while many entries wait to be pruned. */
const READ = {
  name: "read agent memories",
  text: `select ${MEMORY.list("m")}
    from unnest($2::text[], $3::text[]) as k (agent_id, profile) cross join lateral (
      select * from agent_memories e
      where e.org_id = $1 and e.agent_id = k.agent_id and e.profile = k.profile
      order by e.at desc, e.id desc limit $4) m
    order by m.agent_id, m.profile, m.at, m.id`,
};
const LIST = {
  name: "list agent memory",
  text: `select ${MEMORY.list("m")} from agent_memories m
    where m.org_id = $1 and m.agent_id = $2 and ($3::bigint is null or (m.at, m.id) < ($3, $4))
    order by m.at desc, m.id desc limit $5`,
};
const FORGET = {
  name: "forget agent memory",
  text: `with gone as (
      delete from agent_memories where org_id = $1 and agent_id = $2 returning 1
    ), counted as (
      select count(*)::int as gone from gone
    ), noted as (
      insert into audit_pending (id, org_id, at, body) select $3, $1, $4, $5 from counted where counted.gone > 0
    )
    select gone from counted`,
};
/** Skips rows that are locked by another replica or by a request to forget. */
const PRUNE = {
  name: "prune agent memories",
  skipsMovingOrganisation: true,
  text: `with old as (
      select org_id, agent_id, profile, at, id from (
        select e.org_id, e.agent_id, e.profile, e.at, e.id,
          row_number() over (partition by org_id, agent_id, profile order by at desc, id desc) as age,
          exists (select from registry r where r.org_id = e.org_id and r.kind = 'agent' and r.id = e.agent_id) as is_known
        from agent_memories e) m
      where m.age > $1 or not m.is_known limit $2
    ), locked as (
      select e.org_id, e.agent_id, e.profile, e.at, e.id from agent_memories e
        join old o on (e.org_id, e.agent_id, e.profile, e.at, e.id) = (o.org_id, o.agent_id, o.profile, o.at, o.id)
      for update of e skip locked
    )
    delete from agent_memories e using locked l
    where (e.org_id, e.agent_id, e.profile, e.at, e.id) = (l.org_id, l.agent_id, l.profile, l.at, l.id)
    returning 1 as gone`,
};
