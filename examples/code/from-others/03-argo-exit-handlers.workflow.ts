/** Shows: steps that run at the end, however the run ends. */
import { agent, eq, finallyDo, ne, orElse, workflow } from "sluice/workflow";

export default workflow("exit-handlers", {}, () => {
  agent("work", { command: "Do the work." });
  finallyDo(({ run }) => {
    agent("mail", { command: `Write a mail: the work is ${run.outcome}.` });
    agent("celebrate", { when: eq(run.outcome, "completed"), command: "Celebrate." });
    agent("console", {
      when: ne(run.outcome, "completed"),
      command: `Find kind words about ${orElse(run.error.code, "the end")}.`,
    });
  });
});
