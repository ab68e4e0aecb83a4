import type { Api } from "./api.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { printable } from "./terminal-text.ts";

/** In the order they are named; the first that is refused ends it. */
export async function deleteRuns(
  io: Io,
  api: Api,
  ids: readonly string[],
  options: { readonly quiet?: boolean },
): Promise<number> {
  for (const id of ids) {
    await api.history.deleteRun(id);
    if (options.quiet !== true) io.err.write(`${printable(id)} is deleted\n`);
  }
  return EXIT.fine;
}
