import { Argument, Command, Option } from "commander";
import { PRIORITIES } from "../core/event/index.ts";
import { APPROVE_ANSWERS, GOVERNANCE_MODES } from "../simulation/index.ts";
import { addAuditCommands } from "./audit-commands.ts";
import { addTestCommand } from "./cases/test-command.ts";
import { addApprovalCommands } from "./approval-commands.ts";
import { APPROVE_MODES } from "./approvals.ts";
import { addLinkOptions, example, type Settle, type Workbench } from "./command-words.ts";
import { collect, positiveInteger, positiveNumber } from "./option-values.ts";
import { addCellCommands } from "./cell-commands.ts";
import { completion, type Shell, SHELLS } from "./completion.ts";
import { addEventCommands } from "./events.ts";
import { addFileCommands } from "./files.ts";
import { addGatewayCommands } from "./gateway-commands.ts";
import { addGovernanceCommands } from "./governance-commands.ts";
import { addHostCommands } from "./host-commands.ts";
import { init, type InitOptions } from "./init.ts";
import type { Io } from "./io.ts";
import { addPeopleCommands } from "./people-commands.ts";
import { plan, PLAN_FORMATS, type PlanOptions } from "./plan.ts";
import { addKeyCommands, addPlatformCommands, addRegistryCommands, addWorkflowCommands } from "./registry-commands.ts";
import { addEraseCommand } from "./erase.ts";
import { addRunCommands } from "./run-commands.ts";
import { schema, SCHEMA_FORMATS } from "./schema.ts";
import { simulate, type SimulateOptions } from "./simulate.ts";
import { start, type StartOptions } from "./start.ts";
import { TEMPLATES } from "./starter/files.ts";
import { validate, type ValidateOptions } from "./validate.ts";
import { readVersion } from "./version.ts";

/** Runs the command named by the arguments. The promise resolves with its exit code. */
export async function runProgram(io: Io, argv: readonly string[]): Promise<number> {
  let code = 0;
  const settle: Settle = async (work) => {
    code = await work();
  };
  const program = createProgram(io, settle);
  if (argv.length === 0) {
    program.outputHelp();
    return code;
  }
  await program.parseAsync([...argv], { from: "user" });
  return code;
}

/** Groups of commands in the order of the help. */
const GROUPS: readonly (readonly [string, readonly ((program: Command, bench: Workbench) => void)[]])[] = [
  ["Write, check and run workflows", [addReaders, addStarters, addTestCommand]],
  ["Start servers, Bridges and workers", [addHostCommands]],
  ["Runs, events and approvals", [addRunCommands, addEventCommands, addApprovalCommands, addEraseCommand]],
  ["Workflows and files of the server", [addWorkflowCommands, addFileCommands]],
  ["Keys, people and installation", [addKeyCommands, addPeopleCommands, addCellCommands, addGatewayCommands]],
  ["Manifests", [addRegistryCommands]],
  ["Governance and figures", [addPlatformCommands, addGovernanceCommands, addAuditCommands]],
];

/** Creates the program with all commands. */
export function createProgram(io: Io, settle: Settle): Command {
  const program = createRoot(io);
  const bench: Workbench = { io, settle };
  for (const [title, additions] of GROUPS) {
    program.commandsGroup(`${title}:`);
    for (const add of additions) add(program, bench);
  }
  program.commandsGroup("The program itself:").helpCommand("help [command]", "show help for a command");
  program
    .command("completion")
    .description("print the completion script for a shell")
    .addArgument(new Argument("<shell>", "which shell").choices(SHELLS))
    .addHelpText("after", example("sluice completion bash >> ~/.bashrc"))
    .action((shell: Shell) => settle(() => completion(io, shell, program)));
  return program;
}

function createRoot(io: Io): Command {
  return (
    new Command("sluice")
      .description("Runs AI-agent workflows as durable graphs in which every node passes the gates before it may act.")
      .version(readVersion(), "--version", "print the version")
      .helpOption("--help", "show help")
      .exitOverride()
      // Options of the program precede the command, so a command may have an option of the same name.
      .enablePositionalOptions()
      .configureOutput({ writeOut: (text) => io.out.write(text), writeErr: (text) => io.err.write(text) })
      .showSuggestionAfterError()
      .showHelpAfterError("(add --help for the options and an example)")
      .addHelpText("after", example("sluice validate review.lobsterX && sluice run review.lobsterX --arg topic=tides"))
  );
}

function addReaders(program: Command, { io, settle }: Workbench): void {
  program
    .command("validate")
    .description("check workflows, manifests and configurations of a Bridge, and report all problems at once")
    .argument("<file...>", "files to check, - for standard input")
    .option("--json", "print the report as JSON")
    .addOption(
      new Option("--format <format>", "format of the report").choices(["human", "github", "json"]).default("human"),
    )
    .option("--library <file>", "step library and lenses the files refer to")
    .option("--quiet", "print problems only")
    .addHelpText("after", example("sluice validate workflows/*.lobsterX --format github"))
    .action((files: string[], options: ValidateOptions) => settle(() => validate(io, files, options)));
  program
    .command("plan")
    .description("print the layers of a workflow")
    .argument("<file>", "workflow file, - for standard input")
    .addOption(new Option("--format <format>", "output format").choices(PLAN_FORMATS).default("text"))
    .option("--json", "the same as --format json")
    .option("--library <file>", "step library and lenses the file refers to")
    .addHelpText("after", example("sluice plan review.lobsterX --format mermaid"))
    .action((file: string, options: PlanOptions) => settle(() => plan(io, file, options)));
  program
    .command("schema")
    .description("print the JSON Schema of a format, for editors")
    .addArgument(new Argument("<format>", "which format").choices(SCHEMA_FORMATS))
    .addHelpText("after", example("sluice schema lobsterx > lobsterx.schema.json"))
    .action((format: (typeof SCHEMA_FORMATS)[number]) => settle(() => schema(io, format)));
  program
    .command("init")
    .description("write a starter project: TypeScript with a worker and cases, or workflow files only")
    .argument("[dir]", "folder of the project; default: this folder", ".")
    .addOption(new Option("--template <name>", "a project of workflow files only").choices(TEMPLATES))
    .addOption(new Option("--yaml", "the same as --template minimal").conflicts("template"))
    .option("--force", "also in a folder with files, none of which is changed")
    .option("--quiet", "print nothing")
    .addHelpText("after", example("sluice init my-flows"))
    .action((folder: string, options: InitOptions) => settle(() => init(io, folder, options)));
}

function addStarters(program: Command, { io, settle }: Workbench): void {
  const simulated = program
    .command("simulate")
    .description("show what a workflow would do, wait for and cost, without doing it");
  addLinkOptions(addLaunchOptions(simulated, "<file>", "workflow file, - for standard input; with a server, a name"))
    .addOption(
      new Option("--governance <how>", "live: with the gates (and the server's rules, if there is one); none").choices(
        GOVERNANCE_MODES,
      ),
    )
    .option("--registry <path>", "manifests to register, as for apply: a file or a folder; may be repeated", collect)
    .addOption(new Option("--approve <how>", "how every approval is answered").choices(APPROVE_ANSWERS).default("all"))
    .option("--json", "print the forecast as JSON")
    .option("--quiet", "no warnings")
    .addHelpText("after", example("sluice simulate review.lobsterX --arg topic=tides --registry registry/"))
    .action((file: string, options: SimulateOptions) => settle(() => simulate(io, file, options)));
  const started = program
    .command("run")
    .description("run a workflow on the server, or in this process on scripted answers when none is known");
  addLinkOptions(
    addLaunchOptions(started, "<workflow>", "file, - for standard input, or name (or name@version) on the server"),
  )
    .option("--local", "run it in this process, also when a server is known")
    .option("--ledger <file>", "append a line for every call of an adapter, before it has any effect")
    .addOption(new Option("--approve <how>", "answer approvals").choices(APPROVE_MODES))
    .option("--no-wait", "do not ask: stop with exit code 4 when a person is needed")
    .option("--concurrency <n>", "nodes in flight at a time", positiveInteger)
    .option("--max-time <seconds>", "time limit of the run, in seconds", positiveNumber)
    .option("--label <name=text>", "a label, by which runs are found (repeatable); on a server", collect)
    .option("--team <name>", "team whose members get the nodes; on a server")
    .addOption(new Option("--priority <level>", "priority of the run; on a server").choices(PRIORITIES))
    .option(
      "--recover <n>",
      "how often at most the run is recovered automatically when it fails; on a server",
      positiveInteger,
    )
    .option("--watch", "follow the run until it ends (the default)")
    .addOption(new Option("--detach", "start it on the server, print its id and leave it").conflicts("watch"))
    .option("--json", "print one event per line, and the state of the run last")
    .option("--quiet", "no progress")
    .addHelpText("after", example("sluice run review.lobsterX --arg topic=tides --approve all"))
    .action((target: string, options: StartOptions) => settle(() => start(io, target, options)));
}

function addLaunchOptions(command: Command, word: string, about: string): Command {
  return command
    .argument(word, about)
    .option("--arg <name=value>", "an arg of the workflow, name=@path for a file; may be repeated", collect)
    .option("--args-file <file>", "args as a YAML or JSON map; --arg wins")
    .option("--script <file>", "answers of the scripted adapter")
    .option("--library <file>", "step library and lenses the file refers to");
}
