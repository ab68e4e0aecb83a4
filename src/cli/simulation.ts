import { EMPTY_SCRIPT, readScript, type Script } from "../adapters/index.ts";
import { suggest } from "../core/definition/index.ts";
import type { Plan } from "../core/plan/index.ts";
import type { Io } from "./io.ts";
import { printProblems } from "./problem-report.ts";
import { Refusal } from "./refusal.ts";
import { readSourceFile } from "./source-file.ts";
import { printable } from "./terminal-text.ts";

/** Loads the script of `--script FILE`. Without one, every answer is a sample value. Null plans mean that it is unknown what will run. */
export async function loadScript(io: Io, name: string | undefined, plans: readonly Plan[] | null): Promise<Script> {
  if (name === undefined) return EMPTY_SCRIPT;
  const file = await readSourceFile(io, name);
  const { script, problems } = readScript(file.bytes);
  if (problems.length > 0) {
    printProblems(io, file, problems);
    throw new Refusal(`the script ${printable(name)} is not valid, nothing was started`);
  }
  if (plans !== null) warnAboutUnknownNodes(io, name, script, plans);
  return script;
}

/** Warns about keys that match no node. Such a key has no effect, which is probably a mistake. */
function warnAboutUnknownNodes(io: Io, file: string, script: Script, plans: readonly Plan[]): void {
  const withBlocks = plans.flatMap((plan) => [plan, ...plan.blocks.values()]);
  const ids = new Set(withBlocks.flatMap((plan) => plan.nodes.map(({ id }) => id)));
  const names = new Set(plans.map(({ name }) => name));
  for (const key of script.nodes.keys()) {
    const slash = key.indexOf("/");
    // A script may serve several workflows. Only keys for these workflows can be checked.
    if (slash !== -1 && !names.has(key.slice(0, slash))) continue;
    const id = key.slice(slash + 1).split("[", 1)[0] ?? key;
    if (ids.has(id)) continue;
    const meant = suggest(id, ids);
    const hint = meant === undefined ? "" : `, did you mean "${meant}"?`;
    io.err.write(`${printable(file)}: warning: no node is called "${printable(id)}"${hint}\n`);
  }
}
