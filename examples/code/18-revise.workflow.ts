/** Shows: a step that is repeated until its result is good enough, and one that looks again after a while. */
import { z } from "zod";
import { agent, gt, gte, not, orElse, repeat, workflow } from "sluice/workflow";

export default workflow("revise", { args: z.object({ topic: z.string().default("the harvest") }) }, ({ args }) => {
  const revise = repeat(
    "revise",
    ({ previous }) =>
      agent({
        command: `Write about ${args.topic}. Before: ${orElse(previous.text, "nothing")}. Improve: ${previous.advice}`,
        outputs: z.object({ text: z.string(), advice: z.string(), score: z.int() }),
        on_failure: "retry",
      }),
    { until: (outputs) => gte(outputs.score, 8), max: 5 },
  );
  const publish = agent("publish", { command: `Publish ${revise.text}`, outputs: z.object({ url: z.string() }) });
  const look = repeat(
    "look",
    ({ round }) =>
      agent({ command: `Has anybody read ${publish.url}? Look ${round}`, outputs: z.object({ readers: z.int() }) }),
    { until: (outputs) => gt(outputs.readers, 0), max: 3, every: "1s", on_exhausted: "continue" },
  );
  return { text: revise.text, rounds: revise.rounds, was_seen: not(look.exhausted) };
});
