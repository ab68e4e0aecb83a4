import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import type { CommandConfig } from "./config.ts";
import { SAFE_PATH } from "./surroundings.ts";

const BYTES_PER_MB = 1_048_576;
const MEMORY_MB = 1_024;
/** Runtimes reserve far more addresses than they ever use; this only stops what evades the limit on memory. */
const RESERVED_MB = 8_192;
const CPU_SECONDS = 3_600;
const FILES_MAX = 1_024;
const FILE_MB = 1_024;
const PROCESSES_MAX = 512;

/** Puts a command under the limits of the system, when there is a program to set them. */
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

/** Where a program is found by the path that commands get; null when it is not there or may not be run. */
export async function findProgram(file: string): Promise<string | null> {
  const places = file.startsWith("/") ? [file] : SAFE_PATH.split(":").map((directory) => join(directory, file));
  for (const place of places) {
    try {
      await access(place, constants.X_OK);
      return place;
    } catch {
      // It may be in the next place.
    }
  }
  return null;
}
