import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/**
 * Packages of Debian, unpacked beside other temporary files: nothing is installed, no service starts, and what the machine
 * has stays as it is. They are fetched once; the directory is complete or not there.
 */
export function unpackPackages(name: string, packages: readonly string[]): string {
  const root = join(tmpdir(), `sluice-debian-${name}`);
  if (existsSync(root)) return root;
  const making = mkdtempSync(`${root}-`);
  // Others than its owner run what is inside.
  chmodSync(making, 0o755);
  const archives = join(making, "archives");
  mkdirSync(archives);
  try {
    download(archives, packages);
    for (const archive of readdirSync(archives)) call("dpkg", ["-x", join(archives, archive), making], making);
    renameUnlessThere(making, root);
  } catch (error) {
    throw new Error(`${packages.join(", ")} could not be unpacked, which takes Debian and its mirror`, {
      cause: error,
    });
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return root;
}

/** Where the shared libraries of unpacked packages are, whatever the processor. */
export function libraries(root: string): string {
  const directory = join(root, "usr", "lib");
  return readdirSync(directory)
    .filter((name) => name.endsWith("-linux-gnu"))
    .map((name) => join(directory, name))
    .join(delimiter);
}

function download(directory: string, packages: readonly string[]): void {
  try {
    call("apt-get", ["download", ...packages], directory);
  } catch {
    // The list of packages may be missing, or name versions that are gone.
    call("apt-get", ["update"], directory);
    call("apt-get", ["download", ...packages], directory);
  }
}

/** Two processes may unpack at once; the first to finish is as good as the second. */
function renameUnlessThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}

function call(program: string, args: readonly string[], cwd: string): void {
  const { status, stderr, error } = spawnSync(program, args, { cwd, encoding: "utf8", stdio: "pipe" });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${error?.message ?? stderr}`);
}
