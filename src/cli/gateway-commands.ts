import type { Command } from "commander";
import { addLinkOptions, addNoun, onServer, example, type Workbench } from "./command-words.ts";
import { deleteGateway, getGateway, listGateways } from "./gateways.ts";

/** Adds the commands for gateways and their adapters. */
export function addGatewayCommands(program: Command, bench: Workbench): void {
  const gateways = addNoun(program, "gateways", "see the places where nodes are executed");
  addLinkOptions(gateways.command("list").description("list gateways and how they are"))
    .option("--json", "print what the API answers")
    .addHelpText("after", example("sluice gateways list"))
    .action(onServer(bench, listGateways));
  addLinkOptions(gateways.command("get").description("show a gateway and how it was lately"))
    .argument("<gateway>", "id of the gateway")
    .option("--json", "print it as JSON")
    .addHelpText("after", example("sluice gateways get local"))
    .action(onServer(bench, getGateway));
  addLinkOptions(gateways.command("delete").description("forget a gateway and its tokens"))
    .argument("<gateway>", "id of the gateway")
    .option("--quiet", "print nothing")
    .addHelpText("after", example("sluice gateways delete bridge"))
    .action(onServer(bench, deleteGateway));
  const adapter = addNoun(program, "adapter", "work on an adapter of your own");
  adapter
    .command("test")
    .description("run the conformance suite on an adapter")
    .argument("<file>", "a module that exports an adapter")
    .option("--config <file>", "what it is initialised with, as YAML or JSON")
    .option("--json", "print the report as JSON")
    .addHelpText("after", example("sluice adapter test ./my-adapter.js"))
    .action((file: string, options: { config?: string; json?: boolean }) =>
      bench.settle(async () => (await import("./adapter-test.ts")).testAdapter(bench.io, file, options)),
    );
}
