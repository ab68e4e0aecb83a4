import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openPostgres } from "../../src/store/postgres/index.ts";
import { Api } from "../integration/support/api.ts";
import { ALL_SAMPLES, KEY, openGround } from "../integration/support/kills.ts";
import { Load, type Verdict } from "../integration/support/load.ts";
import { callProgram, type ServerProcess, startServer } from "../integration/support/server-process.ts";
import { followRestlessly } from "../integration/support/stream-client.ts";
import { Prng } from "../simulation/prng.ts";
import type { Machine } from "./network.ts";
import type { PatroniCluster } from "./patroni-cluster.ts";
import { Probe } from "./probe.ts";

export const FAILOVERS = ["kill", "switchover", "cut-server", "cut-standbys", "cut-etcd"] as const;
export type Failover = (typeof FAILOVERS)[number];

export interface FailoverPlan {
  readonly seed: number;
  readonly cluster: PatroniCluster;
  readonly faults: readonly Failover[];
  readonly runsPerFault: number;
  /** No further fault begins after it. */
  readonly until: number;
  readonly note: (line: string) => void;
}

/** How long writes were not possible: until the cluster had a leader again, it took a commit, and a client of a server was served. */
export interface Outage {
  readonly fault: Failover;
  readonly clusterMs: number;
  readonly databaseMs: number;
  readonly clientMs: number;
}

export interface FailoverVerdict extends Verdict {
  readonly outages: readonly Outage[];
  readonly probes: number;
  readonly streams: number;
}

/** Longer than Patroni waits for etcd, and shorter than it takes another node to lead. */
const CUT_MS = 8_000;
const CALM_MS = 1_500;
const STREAMS_PER_FAULT = 2;
/** Between a commit whose answer was lost and the same commit again. */
const OVERLAP_MS = 5_000;

/** Takes the leader away again and again while a server works, and judges what became of all that was acknowledged. */
export async function surviveFailovers(plan: FailoverPlan): Promise<FailoverVerdict> {
  const { cluster, faults, seed, runsPerFault, note } = plan;
  const dice = new Prng(seed);
  const ground = openGround();
  const { settings, config } = ground;
  callProgram(["migrate", "--database-url", cluster.url]);
  const server = await startServer({ ...settings, config, command: "serve", databaseUrl: cluster.url });
  const api = new Api(KEY, () => [server.url]);
  const probe = Probe.ofServer(() => server.url, api.headers);
  const bare = await probeDatabase(cluster);
  try {
    await Load.saveSamples(api, ALL_SAMPLES);
    const load = new Load(api, dice.fork("load"), ALL_SAMPLES);
    const streams = new Map<string, ReturnType<typeof followRestlessly>>();
    const outages: Outage[] = [];
    for (const [index, fault] of faults.entries()) {
      if (Date.now() > plan.until) break;
      load.start(runsPerFault);
      await pause(CALM_MS + dice.below(CALM_MS));
      for (const { id } of (await api.listRuns("running")).slice(0, STREAMS_PER_FAULT)) {
        if (!streams.has(id)) streams.set(id, followRestlessly(api, id, dice.fork(id)));
      }
      load.start(runsPerFault);
      const outage = await suffer(cluster, fault, probe, bare);
      outages.push(outage);
      const { clusterMs, databaseMs, clientMs } = outage;
      note(
        `${index + 1} of ${faults.length}: ${fault}, ${clusterMs} ms without a leader, ` +
          `${databaseMs} ms without a commit, ${clientMs} ms for clients`,
      );
      await cluster.untilWhole();
    }
    await load.settle();
    await probe.stop();
    const verdict = await load.judge(settings.ledger, { overlapMs: OVERLAP_MS });
    const violations = [
      ...verdict.violations,
      ...(server.isAlive ? [] : ["the server ended"]),
      ...(await judgeStreams(api, streams)),
      ...(await judgeProbes(cluster.url, probe)),
      ...judgeAudit(server, settings.data),
    ];
    return { ...verdict, violations, outages, probes: probe.acknowledged.length, streams: streams.size };
  } finally {
    await bare.stop();
    await probe.stop();
    await server.kill();
    ground.dispose();
  }
}

/** In a schema of its own, beside what is tested. */
async function probeDatabase(cluster: PatroniCluster): Promise<Probe> {
  const sql = openPostgres({ url: cluster.url, connections: 1 });
  await sql.query({ name: "", text: "create schema outage" });
  await sql.query({ name: "", text: "create table outage.probes (id text primary key)" });
  await sql.close();
  const hosts = cluster.nodes.map((node) => cluster.urlOf([node]));
  return Probe.ofDatabase(hosts, "insert into outage.probes (id) values ($1) on conflict do nothing");
}

async function suffer(cluster: PatroniCluster, fault: Failover, probe: Probe, bare: Probe): Promise<Outage> {
  const { network, nodes } = cluster;
  const leader = await cluster.untilLed();
  const others = nodes.filter((node) => node !== leader);
  const begun = Date.now();
  let led = begun;
  if (fault === "kill" || fault === "switchover") {
    if (fault === "kill") network.killAll(leader);
    else await cluster.switchOver(leader);
    await cluster.untilLed(others);
    led = Date.now();
    if (fault === "kill") cluster.startNode(leader);
  } else {
    led = await cutOff(cluster, fault, leader, others);
  }
  // A leader that is to go serves a little longer, so the gap may begin after the fault did.
  await Promise.all([probe.firstAfter(led), bare.firstAfter(led)]);
  return {
    fault,
    clusterMs: led - begun,
    databaseMs: bare.longestGap(begun),
    clientMs: probe.longestGap(begun),
  };
}

/** Cuts the leader off from something, and heals it: after a while, or when another node leads. */
async function cutOff(
  cluster: PatroniCluster,
  fault: Failover,
  leader: Machine,
  others: readonly Machine[],
): Promise<number> {
  const { network, etcd } = cluster;
  if (fault === "cut-etcd") network.cut(leader, etcd.address);
  if (fault === "cut-server") network.cut(leader, network.here);
  if (fault === "cut-standbys") for (const { address } of others) network.cut(leader, address);
  if (fault === "cut-etcd") await cluster.untilLed(others);
  else await pause(CUT_MS);
  const led = Date.now();
  network.heal(leader);
  return led;
}

async function judgeStreams(
  api: Api,
  streams: ReadonlyMap<string, ReturnType<typeof followRestlessly>>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [id, following] of streams) {
    const read = (await following).map(({ eventId }) => eventId).join();
    const kept = (await api.readLog(id)).map(({ eventId }) => eventId).join();
    if (read !== kept) found.push(`the stream of ${id} had the events ${read}, and its log has ${kept}`);
  }
  return found;
}

/** Every probe that was answered with success is kept, once. */
async function judgeProbes(url: string, { acknowledged }: Probe): Promise<readonly string[]> {
  const sql = openPostgres({ url, connections: 1 });
  try {
    const rows = await sql.query<{ id: string }>({ name: "", text: "select id from received_events" });
    const count = new Map<string, number>();
    for (const { id } of rows) count.set(id, (count.get(id) ?? 0) + 1);
    return acknowledged.flatMap((id) => (count.get(id) === 1 ? [] : [`${id} is kept ${count.get(id) ?? 0} times`]));
  } finally {
    await sql.close();
  }
}

function judgeAudit({ url }: ServerProcess, directory: string): readonly string[] {
  const file = join(directory, "audit.ndjson");
  try {
    callProgram(["audit", "export", "-o", file, "--url", url, "--key", KEY]);
    callProgram(["audit", "verify", file]);
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
