/** Shows: WCP-12, multiple instances without synchronization. No step waits for the instances; the rest continues beside them. */
import { z } from "zod";
import { agent, each, workflow } from "sluice/workflow";

export default workflow(
  "instances-without-synchronization",
  { args: z.object({ readers: z.array(z.any()).default(["ann", "bob", "cleo"]) }) },
  ({ args }) => {
    const letter = agent("letter", { command: "Write the letter." });
    each("send", args.readers, (reader) => agent({ command: `Send it to ${reader}.` }), {
      as: "reader",
      depends_on: [letter],
    });
    agent("archive", { command: "Archive the letter.", depends_on: [letter] });
  },
);
