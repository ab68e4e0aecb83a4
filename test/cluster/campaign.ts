import { type Failover, type FailoverVerdict, surviveFailovers } from "./failovers.ts";
import { PatroniCluster } from "./patroni-cluster.ts";

export interface ClusterCampaign {
  readonly seed: number;
  readonly kills: number;
  readonly switchovers: number;
  /** Of each kind: between server and leader, leader and standbys, leader and etcd. */
  readonly cuts: number;
  readonly until: number;
  readonly print: (line: string) => void;
}

const RUNS_PER_FAULT = 2;

/** Starts a cluster, takes its leader away so many times, prints what was seen, and removes the cluster. */
export async function campaignOnCluster({ seed, until, print, ...counts }: ClusterCampaign): Promise<number> {
  print("starting three Postgres servers with Patroni, and etcd");
  const cluster = await PatroniCluster.start();
  const end = (): void => {
    cluster.dispose();
    process.exit(1);
  };
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  try {
    const faults = inTurn(counts);
    const plan = { seed, cluster, faults, runsPerFault: RUNS_PER_FAULT, until, note: print };
    const verdict = await surviveFailovers(plan);
    report(verdict, print);
    return verdict.violations.length === 0 && verdict.outages.length > 0 ? 0 : 1;
  } finally {
    cluster.dispose();
  }
}

/** Kinds alternate, so that each meets what another one has left. */
function inTurn({ kills, switchovers, cuts }: Pick<ClusterCampaign, "kills" | "switchovers" | "cuts">): Failover[] {
  const left = new Map<Failover, number>([
    ["kill", kills],
    ["switchover", switchovers],
    ["cut-server", cuts],
    ["cut-standbys", cuts],
    ["cut-etcd", cuts],
  ]);
  const faults: Failover[] = [];
  while ([...left.values()].some((count) => count > 0)) {
    for (const [kind, count] of left) {
      if (count > 0) faults.push(kind);
      left.set(kind, count - 1);
    }
  }
  return faults;
}

function report(
  { outages, probes, streams, violations, ...load }: FailoverVerdict,
  print: (line: string) => void,
): void {
  const { runs, completed, events, calls, repeatedCalls } = load;
  print("");
  for (const kind of new Set(outages.map(({ fault }) => fault))) {
    const own = outages.filter(({ fault }) => fault === kind);
    const cluster = percentile(own.map(({ clusterMs }) => clusterMs));
    const database = percentile(own.map(({ databaseMs }) => databaseMs));
    const client = percentile(own.map(({ clientMs }) => clientMs));
    print(
      `${kind}: ${own.length} times, p95 ${cluster} ms until a node leads, ${database} ms until it takes a commit, ` +
        `${client} ms until a client is served`,
    );
  }
  print(
    `cluster: ${outages.length} faults, ${runs} runs (${completed} completed), ${events} events, ${calls} calls ` +
      `(${repeatedCalls} repeated), ${probes} acknowledged probes, ${streams} streams: ${violations.length} violations`,
  );
  for (const violation of violations) print(`        ${violation}`);
}

function percentile(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0;
}
