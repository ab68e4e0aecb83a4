import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const CLOSE_ON_EXEC = 0o2_000_000;

/**
 * Finds open files that the Bridge inherited at its start and that every command would inherit. Node closes the files
 * that it opens itself and the low numbers it was given. The others are visible only on Linux.
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

/** Returns three pipes, and `/dev/null` in place of every file that would be inherited. */
export function shieldedStdio(inheritable: readonly number[], nothing: number): ("pipe" | "ignore" | number)[] {
  const length = Math.max(3, (inheritable.at(-1) ?? 0) + 1);
  return Array.from({ length }, (_, index) => {
    if (index < 3) return "pipe";
    return inheritable.includes(index) ? nothing : "ignore";
  });
}
