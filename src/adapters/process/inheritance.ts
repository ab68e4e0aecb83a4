import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const CLOSE_ON_EXEC = 0o2_000_000;

/**
 * Open files that the Bridge itself was started with and that would be passed to every command. Node closes what it opens
 * and the low numbers it was given; this finds the others, where the system shows them (Linux).
 */
export async function findInheritable(directory = "/proc/self/fdinfo"): Promise<readonly number[]> {
  const names = await readdir(directory).catch(() => []);
  const found: number[] = [];
  for (const name of names) {
    const text = await readFile(join(directory, name), "utf8").catch(() => "");
    const [, flags] = /^flags:\s*([0-7]+)$/m.exec(text) ?? [];
    const isKept = flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
    if (isKept && Number(name) > 2) found.push(Number(name));
  }
  return found.sort((left, right) => left - right);
}

/** Three pipes, and nothing (an open `/dev/null`) in the place of everything that would be inherited. */
export function shieldedStdio(inheritable: readonly number[], nothing: number): ("pipe" | "ignore" | number)[] {
  const length = Math.max(3, (inheritable.at(-1) ?? 0) + 1);
  return Array.from({ length }, (_, index) => {
    if (index < 3) return "pipe";
    return inheritable.includes(index) ? nothing : "ignore";
  });
}
