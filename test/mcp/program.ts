import { main } from "../../src/cli/command-line.ts";

/** The program from its sources, as a process of its own. */
process.exitCode = await main(process.argv.slice(2));
