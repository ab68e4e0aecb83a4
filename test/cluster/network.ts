import { spawnSync } from "node:child_process";

/** A machine of its own as far as the network goes: a namespace with an address on a bridge that only exists here. */
export interface Machine {
  readonly namespace: string;
  readonly address: string;
}

/** Several machines and the bridge between them; this process is at the bridge's own address. */
export interface Network {
  readonly here: string;
  readonly machines: readonly Machine[];
  /** No packet from one machine reaches another address any more, so no conversation between them goes on. */
  cut(machine: Machine, address: string): void;
  heal(machine: Machine): void;
  /** Ends every process on a machine at once, as a power failure does. */
  killAll(machine: Machine): void;
  remove(): void;
}

/** Addresses set apart for tests of networks (RFC 2544), which no real host has. */
const RANGE = "198.18";
const PREFIX_LENGTH = 24;
const FIRST = 10;

export function openNetwork(count: number): Network {
  if (process.getuid?.() !== 0) throw new Error("namespaces of the network are made by root only");
  const mark = `sl${process.pid}`;
  const subnet = `${RANGE}.${process.pid % 250}`;
  const bridge = `${mark}b`;
  const here = `${subnet}.1`;
  const machines = Array.from({ length: count }, (_, index) => ({
    namespace: `${mark}n${index}`,
    address: `${subnet}.${FIRST + index}`,
  }));
  const cuts = new Map<Machine, string[]>();
  const network: Network = {
    here,
    machines,
    cut(machine, address) {
      ip("-n", machine.namespace, "route", "add", "blackhole", `${address}/32`);
      cuts.set(machine, [...(cuts.get(machine) ?? []), address]);
    },
    heal(machine) {
      for (const address of cuts.get(machine) ?? []) {
        ip("-n", machine.namespace, "route", "del", "blackhole", `${address}/32`);
      }
      cuts.delete(machine);
    },
    killAll: ({ namespace }) => killIn(namespace),
    remove() {
      for (const { namespace } of machines) {
        killIn(namespace);
        tryIp("netns", "del", namespace);
      }
      tryIp("link", "del", bridge);
    },
  };
  try {
    ip("link", "add", bridge, "type", "bridge");
    ip("addr", "add", `${here}/${PREFIX_LENGTH}`, "dev", bridge);
    ip("link", "set", bridge, "up");
    for (const [index, machine] of machines.entries()) join(machine, bridge, `${mark}v${index}`);
    return network;
  } catch (error) {
    network.remove();
    throw error;
  }
}

function join({ namespace, address }: Machine, bridge: string, link: string): void {
  ip("netns", "add", namespace);
  ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", namespace);
  ip("link", "set", link, "master", bridge, "up");
  ip("-n", namespace, "addr", "add", `${address}/${PREFIX_LENGTH}`, "dev", "eth0");
  ip("-n", namespace, "link", "set", "eth0", "up");
  ip("-n", namespace, "link", "set", "lo", "up");
}

/** By their ids, until none is left: a process may have started another one meanwhile. */
function killIn(namespace: string): void {
  for (let round = 0; round < 50; round += 1) {
    const { stdout } = spawnSync("ip", ["netns", "pids", namespace], { encoding: "utf8" });
    const ids = stdout.split("\n").filter((line) => line !== "");
    if (ids.length === 0) return;
    for (const id of ids) {
      try {
        process.kill(Number(id), "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
}

function ip(...args: readonly string[]): void {
  const { status, stderr, error } = spawnSync("ip", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`ip ${args.join(" ")}: ${error?.message ?? stderr.trim()}`);
}

function tryIp(...args: readonly string[]): void {
  spawnSync("ip", args, { stdio: "ignore" });
}
