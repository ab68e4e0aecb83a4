/** Shows: WCP-7, structured synchronizing merge. The step after a multi-choice waits for the branches that were chosen. */
import { z } from "zod";
import { agent, workflow } from "sluice/workflow";

export default workflow(
  "synchronizing-merge",
  { args: z.object({ is_stolen: z.boolean().default(false), is_hurt: z.boolean().default(false) }) },
  ({ args }) => {
    const callStep = agent("call", { command: "Take the call." });
    const police = agent("police", { when: args.is_stolen, command: "Call the police.", depends_on: [callStep] });
    const doctor = agent("doctor", { when: args.is_hurt, command: "Call a doctor.", depends_on: [callStep] });
    agent("report", { command: "Write the report.", depends_on: [callStep, police, doctor] });
  },
);
