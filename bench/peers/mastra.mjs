/**
 * Mastra: a workflow on the built-in engine with `PostgresStore`, waves as `parallel`.
 *
 * Settings: a pool of 10 connections, as ours; snapshots are kept after every step, which is the default; no logger and
 * no tracing. The four branches of the diamond are two waves, which costs less here than a workflow nested per branch.
 */
import { Mastra } from "@mastra/core/mastra";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { PostgresStore } from "@mastra/pg";
import { z } from "zod";

export const name = "Mastra";
export const packageName = "@mastra/core";

const text = z.object({ text: z.string() });

/** After a wave the input is what all of it returned, by the id of each step. */
const step = (id) =>
  createStep({ id, inputSchema: z.any(), outputSchema: text, execute: async () => ({ text: "go" }) });

const steps = (prefix, count) => Array.from({ length: count }, (_, index) => step(`${prefix}${index}`));

const begin = (id) => createWorkflow({ id, inputSchema: text, outputSchema: z.any() });

const diamond = () =>
  begin("diamond").then(step("a")).parallel(steps("b", 4)).parallel(steps("f", 4)).then(step("j")).commit();

const chain = (length) => {
  let workflow = begin(`chain-${length}`);
  for (const next of steps("n", length)) workflow = workflow.then(next);
  return workflow.commit();
};

const fanOut = (size) =>
  begin(`fan-out-${size}`)
    .then(step("root"))
    .parallel(steps("n", size - 1))
    .commit();

export async function open({ postgresUrl, sizes }) {
  const storage = new PostgresStore({ id: "bench", connectionString: postgresUrl, max: 10 });
  await storage.init();
  const workflows = Object.fromEntries(
    [diamond(), ...sizes.chains.map(chain), ...sizes.fanOuts.map(fanOut)].map((workflow) => [workflow.id, workflow]),
  );
  const mastra = new Mastra({ storage, workflows, logger: false });
  const run = async (id) => {
    const started = await mastra.getWorkflow(id).createRun();
    const result = await started.start({ inputData: { text: "" } });
    if (result.status !== "success") throw new Error(`the run ended ${result.status}: ${result.error?.message ?? ""}`);
  };
  return {
    runDiamond: () => run("diamond"),
    runChain: (length) => run(`chain-${length}`),
    runFanOut: (size) => run(`fan-out-${size}`),
    close: async () => {
      await mastra.shutdown?.();
      await storage.close();
    },
  };
}
