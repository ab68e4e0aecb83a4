import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Prng } from "../../simulation/prng.ts";
import { Api } from "./api.ts";
import { KEY, openGround } from "./kills.ts";
import { Load, type Verdict } from "./load.ts";
import { startPostgres } from "./postgres-instance.ts";
import { startServer } from "./server-process.ts";

export interface FullDiskPlan {
  readonly seed: number;
  readonly times: number;
  readonly on: "embedded" | "postgres";
  readonly runsPerTime: number;
  readonly note?: (line: string) => void;
}

const DISK_MB = 400;
const FULL_MS_MAX = 8_000;

/** Fills the disk below the database while a server works, makes room again, and judges what became of the runs. */
export async function surviveFullDisks({ seed, times, on, runsPerTime, note }: FullDiskPlan): Promise<Verdict> {
  const dice = new Prng(seed);
  const disk = mountDisk();
  const ground = openGround();
  const postgres = on === "postgres" ? await startPostgres({ fsync: false, directory: disk.path }) : null;
  const data = postgres === null ? join(disk.path, "data") : ground.settings.data;
  mkdirSync(data, { recursive: true });
  const settings = { ...ground.settings, data, command: "up", databaseUrl: postgres?.url ?? null } as const;
  const server = await startServer(settings);
  try {
    const api = new Api(KEY, () => [server.url]);
    await Load.saveSamples(api);
    const load = new Load(api, dice.fork("load"));
    for (let time = 1; time <= times; time += 1) {
      load.start(runsPerTime);
      await pause(dice.below(700));
      const empty = fill(disk.path);
      load.start(runsPerTime);
      const fullMs = dice.below(FULL_MS_MAX);
      await pause(fullMs);
      empty();
      note?.(`full ${time} of ${times}: ${fullMs} ms`);
    }
    await load.settle();
    const verdict = await load.judge(settings.ledger, { overlapMs: 0 });
    return server.isAlive ? verdict : { ...verdict, violations: [...verdict.violations, "the server ended"] };
  } finally {
    await server.kill();
    await postgres?.dispose();
    disk.unmount();
    ground.dispose();
  }
}

/** A disk of its own that may be filled: memory, mounted. Only where this may be done (root on Linux). */
function mountDisk(): { readonly path: string; unmount(): void } {
  const path = mkdtempSync(join(tmpdir(), "sluice-disk-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MB}m,mode=0777`, "tmpfs", path]);
  if (mounted.status !== 0) throw new Error(`no disk can be mounted here: ${mounted.stderr.toString()}`);
  return {
    path,
    unmount() {
      spawnSync("umount", ["-l", path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Takes all the room there is; the answer gives it back. */
function fill(path: string): () => void {
  const name = join(path, "filling");
  const file = openSync(name, "w");
  try {
    for (let block = Buffer.alloc(1 << 20); block.length >= 1_024;) {
      try {
        writeSync(file, block);
      } catch {
        block = block.subarray(0, block.length / 2);
      }
    }
  } finally {
    closeSync(file);
  }
  return () => rmSync(name, { force: true });
}
