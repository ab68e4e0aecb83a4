/** Shows: WCP-43, explicit termination. A step ends the run as completed, and what is still under way is called off. */
import { z } from "zod";
import { agent, cancel, workflow } from "sluice/workflow";

export default workflow("explicit-termination", {}, () => {
  const guess = agent("guess", {
    command: "Guess where the keys are.",
    outputs: z.object({ place: z.string(), is_found: z.boolean() }),
  });
  const search = agent("search", { command: "Search the whole house." });
  const stop = cancel(
    "stop",
    { as: "completed", reason: `They were in the ${guess.place}.` },
    { when: guess.is_found },
  );
  agent("locksmith", { command: "Call a locksmith.", depends_on: [search, stop] });
});
