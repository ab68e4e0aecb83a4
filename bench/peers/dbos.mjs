/**
 * DBOS: a workflow whose nodes are steps, each checkpointed in Postgres when it ends, in waves of `Promise.all`.
 *
 * Settings: the system database's pool is 10 connections, its documented default and ours. No queue is between the
 * caller and the workflow, and nothing is exported: both would only cost it time. A wave is awaited before the next one
 * begins, because steps have to start in the same order when a workflow is recovered.
 */
import { DBOS } from "@dbos-inc/dbos-sdk";

export const name = "DBOS";
export const packageName = "@dbos-inc/dbos-sdk";

const node = () => DBOS.runStep(async () => "go", { name: "node" });
const nodes = (count) => Promise.all(Array.from({ length: count }, node));

const diamond = DBOS.registerWorkflow(
  async () => {
    await node();
    await nodes(4);
    await nodes(4);
    return node();
  },
  { name: "diamond" },
);

const chain = DBOS.registerWorkflow(
  async (length) => {
    for (let done = 0; done < length; done += 1) await node();
  },
  { name: "chain" },
);

const fanOut = DBOS.registerWorkflow(
  async (size) => {
    await node();
    await nodes(size - 1);
  },
  { name: "fan-out" },
);

export async function open({ postgresUrl }) {
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: postgresUrl,
    systemDatabasePoolSize: 10,
    logLevel: "error",
    enableOTLP: false,
  });
  await DBOS.launch();
  return {
    runDiamond: () => diamond(),
    runChain: (length) => chain(length),
    runFanOut: (size) => fanOut(size),
    close: () => DBOS.shutdown(),
  };
}
