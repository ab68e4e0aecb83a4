import { DEMO_SCRIPT, DEMO_SOURCE } from "./demo.ts";
import type { Io } from "./io.ts";
import { perform, prepare, type RunOptions } from "./run.ts";

/** Shows a run in the terminal; there is no server in this version, and it says so. */
export async function up(io: Io): Promise<number> {
  const file = {
    name: "harbour-report",
    path: `${io.cwd}/harbour-report`,
    bytes: new TextEncoder().encode(DEMO_SOURCE),
  };
  const options: RunOptions = { wait: true };
  io.err.write("A demo workflow runs in this terminal, on scripted answers: no key, no cost, nothing is stored.\n\n");
  const prepared = await prepare(io, file, options);
  const code = await perform(io, { ...prepared, script: DEMO_SCRIPT }, options);
  io.err.write("\nThe server with its console follows in a later version. Until then:\n");
  io.err.write("  sluice validate FILE    checks a workflow\n");
  io.err.write("  sluice simulate FILE    shows what it would do and cost\n");
  io.err.write("  sluice run FILE         runs it in this process\n");
  return code;
}
