import { readFileSync } from "node:fs";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { APPROVE_MODES } from "./approvals.ts";
import { completion, type Shell, SHELLS } from "./completion.ts";
import type { Io } from "./io.ts";
import { plan, PLAN_FORMATS, type PlanOptions } from "./plan.ts";
import { run, type RunOptions } from "./run.ts";
import { schema, SCHEMA_FORMATS } from "./schema.ts";
import { simulate, type SimulateOptions } from "./simulate.ts";
import { up } from "./up.ts";
import { validate, type ValidateOptions } from "./validate.ts";

/** Runs the command the words ask for; its exit code is what the promise resolves with. */
export async function runProgram(io: Io, argv: readonly string[]): Promise<number> {
  let code: number | Promise<number> = 0;
  const settle = (given: number | Promise<number>): Promise<void> => {
    code = given;
    return Promise.resolve(given).then(() => undefined);
  };
  const program = createProgram(io);
  addReaders(program, io, settle);
  addRunners(program, io, settle);
  program
    .command("completion")
    .description("print the completion script for a shell")
    .addArgument(new Argument("<shell>", "which shell").choices(SHELLS))
    .addHelpText("after", example("sluice completion bash >> ~/.bashrc"))
    .action((shell: Shell) => settle(completion(io, shell, program)));
  if (argv.length === 0) {
    program.outputHelp();
    return code;
  }
  await program.parseAsync([...argv], { from: "user" });
  return code;
}

type Settle = (code: number | Promise<number>) => Promise<void>;

function createProgram(io: Io): Command {
  return new Command("sluice")
    .description("Runs AI-agent workflows as durable graphs in which every node passes the gates before it may act.")
    .version(readVersion(), "--version", "print the version")
    .helpOption("--help", "show help")
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.out.write(text), writeErr: (text) => io.err.write(text) })
    .showSuggestionAfterError()
    .showHelpAfterError("(add --help for the options and an example)")
    .addHelpText("after", example("sluice validate review.lobsterX && sluice run review.lobsterX --arg topic=tides"));
}

function addReaders(program: Command, io: Io, settle: Settle): void {
  program
    .command("validate")
    .description("check workflow files and report all problems at once")
    .argument("<file...>", "workflow files, - for standard input")
    .option("--json", "print the report as JSON")
    .addOption(new Option("--format <format>", "how to report").choices(["human", "github", "json"]).default("human"))
    .option("--library <file>", "step library and lenses the files refer to")
    .option("--quiet", "problems only")
    .addHelpText("after", example("sluice validate workflows/*.lobsterX --format github"))
    .action((files: string[], options: ValidateOptions) => settle(validate(io, files, options)));
  program
    .command("plan")
    .description("print the layers of a workflow")
    .argument("<file>", "workflow file, - for standard input")
    .addOption(new Option("--format <format>", "how to print").choices(PLAN_FORMATS).default("text"))
    .option("--json", "the same as --format json")
    .option("--library <file>", "step library and lenses the file refers to")
    .addHelpText("after", example("sluice plan review.lobsterX --format mermaid"))
    .action((file: string, options: PlanOptions) => settle(plan(io, file, options)));
  program
    .command("schema")
    .description("print the JSON Schema of a format, for editors")
    .addArgument(new Argument("<format>", "which format").choices(SCHEMA_FORMATS))
    .addHelpText("after", example("sluice schema lobsterx > lobsterx.schema.json"))
    .action((format: (typeof SCHEMA_FORMATS)[number]) => settle(schema(io, format)));
}

function addRunners(program: Command, io: Io, settle: Settle): void {
  const simulated = program
    .command("simulate")
    .description("show what a workflow would do, wait for and cost, without doing it");
  addLaunchOptions(simulated)
    .option("--json", "print the forecast as JSON")
    .addHelpText("after", example("sluice simulate review.lobsterX --arg topic=tides --script review.script.yaml"))
    .action((file: string, options: SimulateOptions) => settle(simulate(io, file, options)));
  const started = program.command("run").description("run a workflow in this process, on scripted answers");
  addLaunchOptions(started)
    .option("--ledger <file>", "append a line for every call of an adapter, before it has any effect")
    .addOption(new Option("--approve <how>", "answer approvals").choices(APPROVE_MODES))
    .option("--no-wait", "do not ask anybody: stop with exit code 4 when a person is needed")
    .option("--concurrency <n>", "nodes in flight at a time", positiveInteger)
    .option("--max-time <seconds>", "end the run after so many seconds", positiveNumber)
    .option("--json", "print one event per line, and the state of the run last")
    .option("--quiet", "no progress")
    .addHelpText("after", example("sluice run review.lobsterX --arg topic=tides --approve all"))
    .action((file: string, options: RunOptions) => settle(run(io, file, options)));
  program
    .command("up")
    .description("run a demo workflow in this terminal (the server follows in a later version)")
    .addHelpText("after", example("sluice up"))
    .action(() => settle(up(io)));
}

function addLaunchOptions(command: Command): Command {
  return command
    .argument("<file>", "workflow file, - for standard input")
    .option("--arg <name=value>", "an arg of the workflow; may be repeated", collect)
    .option("--args-file <file>", "args as a YAML or JSON map; --arg wins")
    .option("--script <file>", "what the scripted adapter answers")
    .option("--library <file>", "step library and lenses the file refers to");
}

function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 1_000_000)
    throw new InvalidArgumentError("It must be a whole number from 1.");
  return value;
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || !(value > 0) || value > 30 * 86_400) {
    throw new InvalidArgumentError("It must be a number of seconds above 0, at most 30 days.");
  }
  return value;
}

function example(line: string): string {
  return `\nExample:\n  $ ${line}`;
}

function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}
