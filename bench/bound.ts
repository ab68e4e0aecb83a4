/** What the same tables and the same statement can take when nothing decides anything: the ceiling of the runtime. */
import type { RunEvent } from "../src/core/event/index.ts";
import { NO_CHANGES, type OpenAttempt, type RunCommit, type Sql, type Store } from "../src/store/index.ts";
import { HEAD, NEW_RUN } from "../test/contracts/shares.ts";

const ORG = "bench";
const REPLICA = "rep_bound";
const BATCH = 300;
const SMALL_RUN = {
  ...NEW_RUN,
  workflow: "bound",
  args: {},
  trigger: "bench",
  traceId: "0",
  rootSpanId: "0",
  parentSpanId: null,
  roleBindings: {},
  startedBy: null,
};

interface Row {
  readonly runId: string;
  version: number;
  lastEventId: number;
  attempt: number;
}

/** One commit after the other, a single run in each: what a chain waits for at every node. */
export async function measureLoneBound(store: Store, commits: number): Promise<number> {
  const [row] = await createRows(store, "run_lone_", 1);
  if (row === undefined) throw new Error("the bound has no run");
  const before = performance.now();
  for (let commit = 0; commit < commits; commit += 1) await requireAll(store, [completion(row)]);
  return (performance.now() - before) / commits;
}

/** Completions of nodes per second in batches of one statement each, by a writer that has every version in memory. */
export async function measureOwnerBound(store: Store, batches: number, round: string): Promise<number> {
  const lanes = await Promise.all(["a", "b"].map((lane) => createRows(store, `run_owner_${round}_${lane}_`)));
  const before = performance.now();
  await Promise.all(
    lanes.map(async (rows) => {
      for (let batch = 0; batch < batches; batch += 1) await requireAll(store, rows.map(completion));
    }),
  );
  return (lanes.length * batches * BATCH * 1_000) / (performance.now() - before);
}

/** The same by a writer without memory: claims open attempts that no other writer has, reads the heads, then writes. */
export async function measureReplicaBound(store: Store, sql: Sql, batches: number): Promise<number> {
  const rows = new Map<string, Row>();
  for (const lane of ["c", "d"]) {
    for (const row of await createRows(store, `run_replica_${lane}_`)) rows.set(row.runId, row);
  }
  let completions = 0;
  const before = performance.now();
  const lane = async (replica: string): Promise<void> => {
    for (let batch = 0; batch < batches; batch += 1) {
      const claimed = await sql.query<{ run_id: string }>(CLAIM, [replica, BATCH]);
      const runIds = claimed.map((row) => row.run_id);
      const heads = await store.headsOf(runIds);
      const commits = heads.map(({ runId, rowVersion, lastEventId }) => {
        const attempt = rows.get(runId)?.attempt ?? 1;
        const row = { runId, version: rowVersion, lastEventId, attempt };
        const commit = completion(row);
        rows.set(runId, row);
        return commit;
      });
      await requireAll(store, commits);
      completions += commits.length;
    }
  };
  await Promise.all([lane("rep_one"), lane("rep_two")]);
  return (completions * 1_000) / (performance.now() - before);
}

const CLAIM = {
  name: "bench claim",
  text: `with free as (
      select run_id, node_id, attempt from open_attempts where replica_id = '${REPLICA}' limit $2
      for update skip locked
    )
    update open_attempts a set replica_id = $1 from free f
    where a.run_id = f.run_id and a.node_id = f.node_id and a.attempt = f.attempt
    returning a.run_id`,
};

const TABLES = ["open_attempts", "event_blocks", "run_heads", "runs"];

/** Deletes what was written for the bounds: the replicas would try to continue these runs all the time. */
export async function clearBound(sql: Sql): Promise<void> {
  for (const table of TABLES)
    await sql.query({ name: "", text: `delete from ${table} where run_id like 'run\\_%\\_%'` });
}

async function createRows(store: Store, prefix: string, count = BATCH): Promise<Row[]> {
  const rows = Array.from({ length: count }, (_, index) => ({
    runId: `${prefix}${String(index).padStart(6, "0")}`,
    version: 0,
    lastEventId: 0,
    attempt: 0,
  }));
  await requireAll(
    store,
    rows.map((row) => ({ ...completion(row), create: SMALL_RUN, closed: [] })),
  );
  return rows;
}

/** What the completion of a node with one dependent writes: its result, and the start of the next. */
function completion(row: Row): RunCommit {
  const { runId, version, lastEventId, attempt } = row;
  const events = eventsAfter(lastEventId);
  row.version += 1;
  row.lastEventId += events.length;
  row.attempt += 1;
  const opened: OpenAttempt = {
    nodeId: "n",
    attempt: row.attempt,
    replicaId: REPLICA,
    deadlineAt: 4_000_000_000_000,
    agentId: null,
    reserved: [],
  };
  return {
    ...NO_CHANGES,
    runId,
    orgId: ORG,
    expectedVersion: version,
    head: { ...HEAD, lastEventId: row.lastEventId },
    events,
    opened: [opened],
    closed: [{ nodeId: "n", attempt }],
    workflow: "w",
  };
}

function eventsAfter(last: number): readonly RunEvent[] {
  const node = { nodeId: "n", attempt: 1 };
  const envelope = { kind: "text", artifactKind: "text", output: "go" };
  const usage = { durationMs: 1, inputTokens: 0, outputTokens: 0, costMicros: 0 };
  const route = {
    agentId: "default",
    gatewayId: "local",
    provider: "scripted",
    model: null,
    executionPath: "edge",
  } as const;
  return [
    { eventId: last + 1, at: 0, type: "node.completed", payload: { ...node, envelope, outputs: {}, ...usage } },
    { eventId: last + 2, at: 0, type: "node.queued", payload: { nodeId: "m", waitingReason: "queued" } },
    {
      eventId: last + 3,
      at: 0,
      type: "gate.decided",
      payload: { nodeId: "m", disposition: "allow", verdictId: "vrd_0" },
    },
    { eventId: last + 4, at: 0, type: "node.started", payload: { ...node, wave: 1, verdictId: "vrd_0", ...route } },
  ];
}

async function requireAll(store: Store, commits: readonly RunCommit[]): Promise<void> {
  const { conflicts } = await store.commit(commits);
  if (conflicts.length > 0) throw new Error(`${conflicts.length} commits of the bound met another`);
}
