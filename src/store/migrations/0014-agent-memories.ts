import type { Migration } from "./migration.ts";

/** Answers that agents keep in their memory. The id of an entry is the attempt that produced it. */
export const AGENT_MEMORIES: Migration = {
  version: 14,
  name: "agent memories",
  minReader: 13,
  statements: [
    `create table agent_memories (
      org_id text collate "C" not null,
      agent_id text collate "C" not null,
      profile text collate "C" not null,
      at bigint not null,
      id text collate "C" not null,
      workflow text collate "C" not null,
      run_id text collate "C" not null,
      node_id text collate "C" not null,
      attempt int not null,
      text text not null,
      primary key (org_id, agent_id, profile, at, id)
    )`,
  ],
};
