/** Shows: WCP-33, generalized AND-join. Each time one of every kind has come, the next step runs; what is over is kept. */
import { z } from "zod";
import { add, agent, eq, repeat, wait, workflow } from "sluice/workflow";

export default workflow(
  "generalized-and-join",
  { args: z.object({ bicycles: z.int().min(1).default(2) }) },
  ({ args }) => {
    const build = repeat(
      "build",
      () => {
        const frame = wait("frame", { event: "frame.ready" }, { outputs: z.object({ number: z.int() }) });
        const wheels = wait("wheels", { event: "wheels.ready" }, { outputs: z.object({ number: z.int() }) });
        agent("assemble", { command: `Assemble frame ${frame.number} with wheels ${wheels.number}.` });
      },
      { until: (_outputs, round) => eq(add(round, 1), args.bicycles), max: 100 },
    );
    return { built: build.rounds };
  },
);
