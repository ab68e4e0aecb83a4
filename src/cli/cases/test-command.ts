import { type Command, Option } from "commander";
import { addLinkOptions, example, type Workbench } from "../command-words.ts";
import { collect } from "../option-values.ts";
import { test, TEST_FORMATS, type TestOptions } from "./test.ts";

/** Adds `sluice test`. */
export function addTestCommand(program: Command, { io, settle }: Workbench): void {
  const command = program
    .command("test")
    .description("run the cases of workflows in this process, in simulated time")
    .argument("[path...]", "files of cases (NAME.cases.yaml, NAME.cases.ts) or folders; default: this folder");
  addLinkOptions(command)
    .option("--registry <path>", "manifests to use, in place of those the files name; may be repeated", collect)
    .option("--filter <text>", "only cases with this in their name")
    .option("--update", "write the snapshots of cases that have one, and of recordings")
    .option("--coverage", "show which branches, handlers and gates the cases cover")
    .option("--watch", "run them again whenever a file is saved")
    .option("--record <run>", "make a case of a run of the server; name the file of cases or the workflow it is for")
    .addOption(new Option("--format <format>", "format of the report").choices(TEST_FORMATS).default("human"))
    .option("--json", "the same as --format json")
    .option("--quiet", "print failed cases only")
    .addHelpText("after", example("sluice test workflows --coverage --format junit > results.xml"))
    .action((names: string[], options: TestOptions) => settle(() => test(io, names, options)));
}
