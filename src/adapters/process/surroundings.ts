import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { fail, succeed, type Outcome } from "../../core/base/index.ts";
import type { AdapterRequest } from "../../adapter/index.ts";
import type { Environment } from "../environment.ts";
import type { CommandConfig } from "./config.ts";

export const SAFE_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Every descendant inherits it, and is found by it wherever it went. */
export const MARK = "SLUICE_EXECUTION";

/** A fresh directory that no other user can read; its name is the mark of everything that is started for it. */
export async function createWorkDirectory(root: string, user: CommandConfig["user"]): Promise<Outcome<string, string>> {
  try {
    // Another user must be able to pass through to its own directory, and to see nothing on the way.
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

/** Links are removed, never followed. */
export async function removeWorkDirectory(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await openDirectories(path);
    await rm(path, { recursive: true, force: true });
  }
}

/** A command may have locked directories of its own; only real ones are touched. */
async function openDirectories(path: string): Promise<void> {
  const found = await lstat(path);
  if (!found.isDirectory()) return;
  await chmod(path, 0o700);
  for (const name of await readdir(path)) await openDirectories(join(path, name));
}

/** Nothing of the Bridge's own environment but what the command's configuration names. */
export function childEnvironment(
  request: AdapterRequest,
  names: readonly string[],
  env: Environment,
  workDirectory: string,
): Readonly<Record<string, string>> {
  const handedOn = names.flatMap((name): [string, string][] => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(handedOn),
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

/** A variable cannot hold it, and a program must not fail to start because of an id. */
function withoutNul(text: string): string {
  return text.replaceAll("\0", "");
}
