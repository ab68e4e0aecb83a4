import { filesIn, formatPath, type JsonObject } from "../core/base/index.ts";
import type { FileStore } from "../store/index.ts";
import type { LaunchRefusal } from "./launcher.ts";

/**
 * Checks that the files among the args exist, and keeps them until the run refers to them. Null when there is no
 * problem. Any value with the shape of a file counts as one, however the arg is declared, because later steps may pass
 * it on.
 */
export async function refuseFiles(
  store: Pick<FileStore, "claimFiles">,
  orgId: string,
  args: JsonObject,
): Promise<LaunchRefusal | null> {
  const given = filesIn(args);
  if (given.length === 0) return null;
  const kept = await store.claimFiles(
    orgId,
    given.map(([, { sha256 }]) => sha256),
  );
  const sizes = new Map(kept.map(({ sha256, size }) => [sha256, size]));
  for (const [arg, { name, size, sha256 }] of given) {
    const known = sizes.get(sha256);
    const place = { path: formatPath(["args", arg]), line: 1, column: 1 };
    if (known === undefined) {
      const message = `Arg "${arg}" refers to the file "${name}" (${sha256}), which is not here; send it first.`;
      const hint = "POST /files/uploads begins to send a file; sluice run --arg NAME=@FILE does it by itself.";
      return { code: "unknown_file", message, problems: [{ code: "unknown_file", message, ...place, hint }] };
    }
    if (known !== size) {
      const message = `Arg "${arg}" says that the file "${name}" has ${size} bytes, but its content has ${known}.`;
      return { code: "size_mismatch", message, problems: [{ code: "size_mismatch", message, ...place }] };
    }
  }
  return null;
}
