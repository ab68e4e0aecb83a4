/** Shows: only one run per stage is open at a time; later ones wait for their turn. */
import { z } from "zod";
import { agent, concurrency, repeat, workflow } from "sluice/workflow";

export default workflow("deploy", { args: z.object({ stage: z.string().default("test") }) }, ({ args }) => {
  concurrency({ key: `deploy-${args.stage}`, limit: 1, when_full: "queue" });
  const build = agent("build", { command: `Build ${args.stage}`, outputs: z.object({ image: z.string() }) });
  const rollOut = agent("roll_out", { command: `Roll out ${build.image}` });
  repeat(
    "watch",
    ({ round }) =>
      agent({ command: `Is ${build.image} healthy? Look ${round}`, outputs: z.object({ healthy: z.boolean() }) }),
    { until: (outputs) => outputs.healthy, max: 3, every: "1s", on_exhausted: "continue", depends_on: [rollOut] },
  );
});
