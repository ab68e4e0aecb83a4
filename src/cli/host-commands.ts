import type { Command } from "commander";
import { addLinkOptions, example, type Workbench } from "./command-words.ts";
import type { BridgeFlags } from "./bridge.ts";
import type { DevOptions } from "./dev.ts";
import type { DoctorOptions } from "./doctor.ts";
import { LOG_FORMATS, LOG_LEVELS } from "./log-words.ts";
import type { MigrateOptions } from "./migrate.ts";
import type { ServeOptions } from "./serve.ts";
import type { LinkOptions } from "./server-link.ts";
import type { UpOptions } from "./up.ts";

/** The command that an MCP client starts. */
const MCP_SETTINGS = {
  command: "sluice",
  args: ["mcp"],
  env: { SLUICE_URL: "http://127.0.0.1:7717", SLUICE_KEY: "slk_…" },
};
const MCP_HELP =
  example("sluice mcp --url https://sluice.internal --key slk_…") +
  `\n\nIn the settings of an MCP client:\n${JSON.stringify({ mcpServers: { sluice: MCP_SETTINGS } }, null, 2)}` +
  "\n\nA client that speaks HTTP needs no command: the server answers at /mcp, with the key as Authorization: Bearer.";

const ADAPTERS = "scripted, ai-sdk, http, process, mcp, claude-agent, openclaw";

/** Adds the commands that run or maintain a server. Their modules load on demand, so that other commands start faster. */
export function addHostCommands(program: Command, bench: Workbench): void {
  const { io, settle } = bench;
  addDevCommand(program, bench);
  addHostOptions(program.command("up").description("start everything in this process, on an embedded database"))
    .option("--data <dir>", "directory for all data (SLUICE_DATA; .sluice)")
    .option("--no-demo", "without the demo workflows and their answers")
    .addHelpText("after", example("sluice up --port 0 --json"))
    .action((options: UpOptions) => settle(async () => (await import("./up.ts")).up(io, options)));
  addHostOptions(program.command("serve").description("run one replica of a server on a Postgres database"))
    .option("--cells <file>", "file that lists several databases, in place of --database-url (SLUICE_CELLS)")
    .option(
      "--processes <n>",
      "number of replicas behind one port, each in its own process; auto: one for each core (1)",
    )
    .addHelpText("after", example("DATABASE_URL=postgres://db/sluice sluice serve --host 0.0.0.0"))
    .action((options: ServeOptions) => settle(async () => (await import("./serve.ts")).serveReplica(io, options)));
  addBridgeOptions(program.command("bridge").description("run a Bridge: adapters for a server elsewhere"))
    .addHelpText(
      "after",
      example("sluice bridge --server https://sluice.internal --token slk_… --adapters ai-sdk,http"),
    )
    .action((options: BridgeFlags) => settle(async () => (await import("./bridge.ts")).bridge(io, options)));
  program
    .command("migrate")
    .description("bring the database up to date")
    .option("--database-url <url>", "a Postgres database (DATABASE_URL); else the embedded one")
    .option("--cells <file>", "every database this file names (SLUICE_CELLS)")
    .option("--data <dir>", "where the embedded one is (SLUICE_DATA; .sluice)")
    .option("--quiet", "print nothing")
    .addHelpText("after", example("sluice migrate --database-url postgres://db/sluice"))
    .action((options: MigrateOptions) => settle(async () => (await import("./migrate.ts")).migrate(io, options)));
  addLinkOptions(
    program.command("mcp").description("serve MCP over standard input and output, for the client that starts it"),
  )
    .addHelpText("after", MCP_HELP)
    .action((options: LinkOptions) => settle(async () => (await import("./mcp.ts")).mcp(io, options)));
  addLinkOptions(program.command("doctor").description("check this machine for problems, and print how to fix them"))
    .option("--data <dir>", "the data directory (SLUICE_DATA; .sluice)")
    .option("--database-url <url>", "the database (DATABASE_URL)")
    .option("--cells <file>", "every database this file names (SLUICE_CELLS)")
    .option("--port <n>", "the port a server would use (SLUICE_PORT; 7717)")
    .option("--host <host>", "the address a server would use (127.0.0.1)")
    .option("--json", "print the findings as JSON")
    .addHelpText("after", example("sluice doctor"))
    .action((options: DoctorOptions) => settle(async () => (await import("./doctor.ts")).doctor(io, options)));
}

function addDevCommand(program: Command, { io, settle }: Workbench): void {
  addHostOptions(program.command("dev"))
    .description("start server, console and worker for a project, and apply files when they are saved")
    .argument("[file...]", "workflows, manifests and worker.ts; default: what the project holds")
    .option("--data <dir>", "directory of the database (SLUICE_DATA; .sluice)")
    .addHelpText("after", example("sluice dev workflows/hello.workflow.ts worker.ts"))
    .action((files: string[], options: DevOptions) =>
      settle(async () => (await import("./dev.ts")).dev(io, files, options)),
    );
}

function addBridgeOptions(command: Command): Command {
  return command
    .option("--server <url>", "the server to work for (SLUICE_URL; else the one running here)")
    .option("--token <token>", "key for that server (SLUICE_TOKEN, SLUICE_KEY)")
    .option("--adapters <names>", `${ADAPTERS}; separated by commas (BRIDGE_ADAPTERS)`)
    .option("--config <file>", "configuration of the adapters")
    .option("--id <id>", "id of the gateway (bridge)")
    .option("--name <name>", "name of the gateway, for people")
    .option("--environment <name>", "its environment, such as production")
    .option("--capabilities <words>", "its capabilities, which steps may require; separated by commas")
    .option("--port <n>", "port to listen on, 0 for any that is free (7718)")
    .option("--host <host>", "address to listen on (127.0.0.1)")
    .option("--public-url <url>", "address at which the server reaches it")
    .option("--data <dir>", "directory for results that are not delivered yet (SLUICE_DATA; .sluice)")
    .option("--script <file>", "answers of the scripted adapter")
    .option("--ledger <file>", "append a line for every call of the scripted adapter, before it has any effect")
    .option("--log-level <level>", `${LOG_LEVELS.join(", ")} (SLUICE_LOG_LEVEL; info)`)
    .option("--log-format <format>", `${LOG_FORMATS.join(" or ")} (SLUICE_LOG_FORMAT; text)`)
    .option("--json", 'print {"url","server","pid"} once it listens');
}

/** Joins the values of a flag that is given several times. */
function joinValues(value: string, before: string | undefined): string {
  return before === undefined ? value : `${before},${value}`;
}

function addHostOptions(command: Command): Command {
  return command
    .option("--port <n>", "port to listen on, 0 for any that is free (SLUICE_PORT; 7717)")
    .option("--host <host>", "address to listen on (127.0.0.1)")
    .option("--database-url <url>", "a Postgres database (DATABASE_URL)")
    .option("--key <key>", "the admin key, slk_… (SLUICE_KEY)")
    .option("--start-rate <n>", "runs a key may start a minute, 0 for no limit (SLUICE_START_RATE; serve 30, up 0)")
    .option(
      "--max-open-runs <n>",
      "runs an organisation may have open before starts are refused (SLUICE_MAX_OPEN_RUNS; 100000)",
    )
    .option(
      "--limits <file>",
      "limits of organisations: starts a minute, open runs, nodes a second, storage, streams (SLUICE_LIMITS)",
    )
    .option(
      "--allow-outbound <hosts>",
      "private hosts, host:port or address blocks that Bridges, webhooks and channels may use; repeat it, or separate by commas " +
        "(SLUICE_ALLOW_OUTBOUND)",
      joinValues,
    )
    .option(
      "--allow-host <names>",
      "additional host names of the server, such as sluice.internal; repeat it, or separate by commas " +
        "(SLUICE_ALLOW_HOST)",
      joinValues,
    )
    .option("--public-url <url>", "address at which people and Bridges reach the server (SLUICE_PUBLIC_URL)")
    .option("--slack-url <url>", "the Web API of Slack, when it is not Slack's own (SLUICE_SLACK_URL)")
    .option(
      "--approvers <how>",
      "enforced, or advisory: every key with the permission may answer, also when others are asked (SLUICE_APPROVERS; enforced)",
    )
    .option("--gateway-grace <s>", "seconds to wait for a Bridge that is away (SLUICE_GATEWAY_GRACE; 30)")
    .option("--files <dir>", "folder for the content of files (SLUICE_FILES; files in the data directory)")
    .option(
      "--archives <dir>",
      "folder for the archives of runs that are deleted (SLUICE_ARCHIVES; archives in the data directory)",
    )
    .option("--oidc-issuer <url>", "issuer whose tokens are accepted in addition to keys (SLUICE_OIDC_ISSUER)")
    .option("--oidc-audience <text>", "audience that these tokens must have (SLUICE_OIDC_AUDIENCE)")
    .option("--oidc-org <name>", "organisation of callers with these tokens (SLUICE_OIDC_ORG; default)")
    .option("--oidc-org-claim <name>", "the claim that names the organisation instead (SLUICE_OIDC_ORG_CLAIM)")
    .option("--oidc-role-claim <name>", "the claim that names the roles (SLUICE_OIDC_ROLE_CLAIM; sluice_role)")
    .option("--oidc-groups-claim <name>", "the claim that names the groups (SLUICE_OIDC_GROUPS_CLAIM; groups)")
    .option(
      "--sign-in <file>",
      "JSON file with the providers for sign-in to the console (SLUICE_SIGN_IN_PROVIDERS: the file, or the JSON itself)",
    )
    .option("--script <file>", "answers of the scripted adapter")
    .option("--ledger <file>", "append a line for every call of an adapter, before it has any effect")
    .option("--config <file>", "configuration of the adapters in this process")
    .option("--no-console", "without the console")
    .option("--log-level <level>", `${LOG_LEVELS.join(", ")} (SLUICE_LOG_LEVEL; info)`)
    .option("--log-format <format>", `${LOG_FORMATS.join(" or ")} (SLUICE_LOG_FORMAT; serve json, up text)`)
    .option("--json", 'print {"url","consoleUrl","key","pid"} once ready');
}
