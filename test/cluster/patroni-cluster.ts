import { execFileSync, spawn } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { unpackPackages } from "../debian/packages.ts";
import { waitFor } from "../integration/support/waiting.ts";
import { findBinaries } from "../postgres/binaries.ts";
import { type Machine, type Network, openNetwork } from "./network.ts";

const PACKAGES = [
  "patroni",
  "etcd-server",
  "python3-psycopg2",
  "python3-etcd",
  "python3-prettytable",
  "python3-psutil",
  "python3-urllib3",
  "python3-yaml",
  "python3-dateutil",
  "python3-click",
  "python3-six",
  "python3-wcwidth",
  "python3-dnspython",
  "python3-cdiff",
  "python3-pkg-resources",
];
const NODES = 3;
const REST_PORT = 8008;
const ETCD_PORT = 2379;
const PASSWORD = "only-in-tests";
/** The shortest that Patroni takes: without a word of its leader for so long another node leads. */
const TIMES = { ttl: 20, loop_wait: 1, retry_timeout: 3 };
const LOOK_EVERY_MS = 100;

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly lag?: number | string;
}

/** Three Postgres servers led by Patroni in strict synchronous mode, and the etcd that knows who leads. */
export class PatroniCluster {
  readonly network: Network;
  readonly nodes: readonly Machine[];
  readonly etcd: Machine;
  readonly #root: string;
  readonly #packages: string;
  readonly #binaries: string;
  readonly #owner: { readonly uid: number; readonly gid: number };

  private constructor(network: Network, packages: string, binaries: string) {
    const [etcd, ...nodes] = network.machines;
    if (etcd === undefined) throw new Error("a cluster has machines");
    this.network = network;
    this.etcd = etcd;
    this.nodes = nodes;
    this.#packages = packages;
    this.#binaries = binaries;
    const ask = (what: string): number => Number(execFileSync("id", [what, "postgres"], { encoding: "utf8" }));
    this.#owner = { uid: ask("-u"), gid: ask("-g") };
    this.#root = mkdtempSync(join(tmpdir(), "sluice-cluster-"));
    chownSync(this.#root, this.#owner.uid, this.#owner.gid);
  }

  static async start(): Promise<PatroniCluster> {
    const packages = unpackPackages("patroni", PACKAGES);
    const { initdb } = await findBinaries();
    const cluster = new PatroniCluster(openNetwork(NODES + 1), packages, dirname(initdb));
    try {
      cluster.#startEtcd();
      for (const node of cluster.nodes) cluster.startNode(node);
      await cluster.untilWhole();
      return cluster;
    } catch (error) {
      cluster.dispose();
      throw error;
    }
  }

  get url(): string {
    return this.urlOf(this.nodes);
  }

  urlOf(nodes: readonly Machine[]): string {
    const hosts = nodes.map(({ address }) => `${address}:5432`).join(",");
    return `postgres://postgres:${PASSWORD}@${hosts}/postgres`;
  }

  startNode(node: Machine): void {
    const file = join(this.#root, `${node.namespace}.json`);
    writeFileSync(file, JSON.stringify(this.#settings(node)), { mode: 0o644 });
    this.#spawn(node, "patroni", ["/usr/bin/python3", join(this.#packages, "usr/bin/patroni"), file]);
  }

  #startEtcd(): void {
    const url = `http://${this.etcd.address}:${ETCD_PORT}`;
    const data = join(this.#root, "etcd");
    const flags = ["--data-dir", data, "--listen-client-urls", url, "--advertise-client-urls", url];
    this.#spawn(this.etcd, "etcd", [join(this.#packages, "usr/bin/etcd"), ...flags, "--unsafe-no-fsync"]);
  }

  #spawn({ namespace }: Machine, name: string, command: readonly string[]): void {
    const log = openSync(join(this.#root, `${namespace}-${name}.log`), "a");
    const { uid, gid } = this.#owner;
    const user = ["setpriv", "--reuid", String(uid), "--regid", String(gid), "--clear-groups", "--"];
    const child = spawn("ip", ["netns", "exec", namespace, ...user, ...command], {
      cwd: this.#root,
      env: { PATH: process.env["PATH"], PYTHONPATH: join(this.#packages, "usr/lib/python3/dist-packages") },
      stdio: ["ignore", log, log],
    });
    child.unref();
  }

  #settings({ namespace, address }: Machine): object {
    const home = join(this.#root, namespace);
    mkdirSync(home, { recursive: true, mode: 0o700 });
    chownSync(home, this.#owner.uid, this.#owner.gid);
    const around = `${this.network.here.replace(/\.\d+$/, ".0")}/24`;
    const account = { username: "postgres", password: PASSWORD };
    return {
      scope: "sluice",
      name: namespace,
      restapi: { listen: `${address}:${REST_PORT}`, connect_address: `${address}:${REST_PORT}` },
      etcd3: { hosts: [`${this.etcd.address}:${ETCD_PORT}`] },
      bootstrap: {
        dcs: {
          ...TIMES,
          synchronous_mode: true,
          synchronous_mode_strict: true,
          master_start_timeout: 0,
          // Processes are killed here and machines are not: what the kernel was given is not lost.
          postgresql: {
            use_pg_rewind: true,
            parameters: { wal_log_hints: "on", wal_retrieve_retry_interval: "1s", fsync: "off", max_connections: 60 },
          },
        },
        initdb: [{ encoding: "UTF8" }, "no-locale", "no-sync"],
      },
      postgresql: {
        listen: `${address}:5432`,
        connect_address: `${address}:5432`,
        data_dir: join(home, "data"),
        bin_dir: this.#binaries,
        pgpass: join(home, "pgpass"),
        parameters: { unix_socket_directories: home },
        pg_hba: [`local all all trust`, `host all all ${around} md5`, `host replication all ${around} md5`],
        authentication: { superuser: account, replication: { ...account, username: "replicator" }, rewind: account },
      },
    };
  }

  /** The node that leads and may, or null. */
  async leader(among: readonly Machine[] = this.nodes): Promise<Machine | null> {
    const answers = await Promise.all(among.map((node) => this.#get(node, "/primary")));
    return among.find((_, index) => answers[index] !== null) ?? null;
  }

  async untilLed(among: readonly Machine[] = this.nodes): Promise<Machine> {
    let leader: Machine | null = null;
    await waitFor("a leader", async () => (leader = await this.leader(among)) !== null, { everyMs: LOOK_EVERY_MS });
    if (leader === null) throw new Error("there is no leader");
    return leader;
  }

  /** Every node is there, and commits wait for one of the standbys. */
  async untilWhole(): Promise<void> {
    await waitFor("the cluster to be whole", async () => this.#isWhole(await this.#members()), { everyMs: 300 });
  }

  #isWhole(members: readonly Member[]): boolean {
    const isUp = ({ state, lag }: Member): boolean => /^(?:running|streaming)$/.test(state) && (lag ?? 0) === 0;
    const has = (role: string): boolean => members.some((member) => member.role === role);
    return members.length === NODES && members.every(isUp) && has("leader") && has("sync_standby");
  }

  async #members(): Promise<readonly Member[]> {
    for (const node of this.nodes) {
      const text = await this.#get(node, "/cluster");
      if (text !== null) return (JSON.parse(text) as { readonly members: readonly Member[] }).members;
    }
    return [];
  }

  /** Hands the lead over in good order. */
  async switchOver(leader: Machine): Promise<void> {
    const response = await fetch(`http://${leader.address}:${REST_PORT}/switchover`, {
      method: "POST",
      body: JSON.stringify({ leader: leader.namespace }),
    });
    if (!response.ok) throw new Error(`the switchover was refused: ${response.status} ${await response.text()}`);
  }

  /** What a node answers when it says yes. A busy machine may send the head of an answer in time and the rest too late. */
  async #get({ address }: Machine, path: string): Promise<string | null> {
    try {
      const signal = AbortSignal.timeout(1_000);
      const response = await fetch(`http://${address}:${REST_PORT}${path}`, { signal });
      const text = await response.text();
      return response.ok ? text : null;
    } catch {
      return null;
    }
  }

  dispose(): void {
    this.network.remove();
    rmSync(this.#root, { recursive: true, force: true });
  }
}
