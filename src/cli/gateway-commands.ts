import type { Command } from "commander";
import { addLinkOptions, addNoun, onServer, example, type Workbench } from "./command-words.ts";
import { deleteGateway, getGateway, listGateways } from "./gateways.ts";

/** Adds the commands for gateways and their adapters. */
export function addGatewayCommands(program: Command, bench: Workbench): void {
  const gateways = addNoun(program, "gateways", "see and delete gateways, through which nodes are executed");
  addLinkOptions(gateways.command("list").description("list gateways and their health"))
    .option("--json", "print the answer of the API as JSON")
    .addHelpText("after", example("sluice gateways list"))
    .action(onServer(bench, listGateways));
  addLinkOptions(gateways.command("get").description("show a gateway and its recent health"))
    .argument("<gateway>", "id of the gateway")
    .option("--json", "print it as JSON")
    .addHelpText("after", example("sluice gateways get local"))
    .action(onServer(bench, getGateway));
  addLinkOptions(gateways.command("delete").description("delete a gateway and its tokens"))
    .argument("<gateway>", "id of the gateway")
    .option("--quiet", "print nothing")
    .addHelpText("after", example("sluice gateways delete bridge"))
    .action(onServer(bench, deleteGateway));
  const adapter = addNoun(program, "adapter", "test an adapter of your own");
  adapter
    .command("test")
    .description("run the conformance suite on an adapter")
    .argument("<file>", "a module that exports an adapter")
    .option("--config <file>", "its configuration, as YAML or JSON")
    .option("--json", "print the report as JSON")
    .addHelpText("after", example("sluice adapter test ./my-adapter.js"))
    .action((file: string, options: { config?: string; json?: boolean }) =>
      bench.settle(async () => (await import("./adapter-test.ts")).testAdapter(bench.io, file, options)),
    );
}
