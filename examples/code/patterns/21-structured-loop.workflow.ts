/** Shows: WCP-21, structured loop. A step is repeated until what it returns is good enough. */
import { z } from "zod";
import { agent, gte, repeat, workflow } from "sluice/workflow";

export default workflow("structured-loop", {}, () => {
  const revise = repeat(
    "revise",
    ({ previous }) =>
      agent({
        command: `Improve this text: ${previous.text}`,
        outputs: z.object({ text: z.string(), score: z.int() }),
      }),
    { until: (outputs) => gte(outputs.score, 8), max: 5, on_exhausted: "continue" },
  );
  agent("publish", { command: `Publish ${revise.text}` });
  return { rounds: revise.rounds, score: revise.score };
});
