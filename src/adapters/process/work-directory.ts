import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { fail, succeed, type Outcome } from "../../core/base/index.ts";
import type { AdapterRequest } from "../../adapter/index.ts";
import type { Environment } from "../environment.ts";
import type { CommandConfig } from "./config.ts";

export const SAFE_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Environment variable that every descendant process inherits. It identifies processes that left the group. */
export const MARK = "SLUICE_EXECUTION";

/** Creates a directory that other users cannot read. Its name is the mark of all processes started for it. */
export async function createWorkDirectory(root: string, user: CommandConfig["user"]): Promise<Outcome<string, string>> {
  try {
    // Another user must be able to reach its own directory without being able to list this one.
    await mkdir(root, { recursive: true, mode: 0o711 });
    const path = await mkdtemp(join(root, "sluice-"));
    try {
      if (user !== undefined) await chown(path, user.uid, user.gid);
    } catch (thrown) {
      await removeWorkDirectory(path);
      throw thrown;
    }
    return succeed(path);
  } catch (thrown) {
    return fail(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** Removes a directory. Links in it are removed, never followed. */
export async function removeWorkDirectory(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await openDirectories(path);
    await rm(path, { recursive: true, force: true });
  }
}

/** Makes directories writable again if the command locked them. Changes only real directories, never links. */
async function openDirectories(path: string): Promise<void> {
  const found = await lstat(path);
  if (!found.isDirectory()) return;
  await chmod(path, 0o700);
  for (const name of await readdir(path)) await openDirectories(join(path, name));
}

/** Returns the environment of a command: only the configured variables of the Bridge, and those set here. */
export function childEnvironment(
  request: AdapterRequest,
  names: readonly string[],
  env: Environment,
  workDirectory: string,
): Readonly<Record<string, string>> {
  const passedVariables = names.flatMap((name): [string, string][] => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(passedVariables),
    PATH: SAFE_PATH,
    LANG: "C.UTF-8",
    HOME: workDirectory,
    SLUICE_RUN: withoutNul(request.runId),
    SLUICE_STEP: withoutNul(request.stepId),
    SLUICE_ATTEMPT: String(request.attempt),
    SLUICE_IDEMPOTENCY_KEY: withoutNul(request.idempotencyKey),
    [MARK]: basename(workDirectory),
  };
}

/** Removes NUL: a variable cannot contain it, and an id must not prevent a program from starting. */
function withoutNul(text: string): string {
  return text.replaceAll("\0", "");
}
