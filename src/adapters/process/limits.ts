import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import type { CommandConfig } from "./config.ts";
import { SAFE_PATH } from "./work-directory.ts";

const BYTES_PER_MB = 1_048_576;
const MEMORY_MB = 1_024;
/** Added to the memory limit for address space: runtimes reserve much more of it than they use. */
const RESERVED_MB = 8_192;
const CPU_SECONDS = 3_600;
const FILES_MAX = 1_024;
const FILE_MB = 1_024;
const PROCESSES_MAX = 512;

/** Runs a command under resource limits of the system, when `prlimit` is available. */
export function underLimits(
  argv: readonly string[],
  command: CommandConfig,
  prlimit: string | null,
): readonly string[] {
  if (prlimit === null) return argv;
  const memory = command.memory_mb ?? MEMORY_MB;
  const processes = command.processes_max ?? (command.user === undefined ? null : PROCESSES_MAX);
  return [
    prlimit,
    "--core=0",
    `--data=${memory * BYTES_PER_MB}`,
    `--as=${(memory + RESERVED_MB) * BYTES_PER_MB}`,
    `--cpu=${command.cpu_seconds ?? CPU_SECONDS}`,
    `--nofile=${FILES_MAX}`,
    `--fsize=${FILE_MB * BYTES_PER_MB}`,
    ...(processes === null ? [] : [`--nproc=${processes}`]),
    "--",
    ...argv,
  ];
}

/** Returns the path of a program in the PATH of commands. Null when it does not exist or may not be executed. */
export async function findProgram(file: string): Promise<string | null> {
  const places = file.startsWith("/") ? [file] : SAFE_PATH.split(":").map((directory) => join(directory, file));
  for (const place of places) {
    try {
      await access(place, constants.X_OK);
      return place;
    } catch {
      // Not found here: try the next place.
    }
  }
  return null;
}
