/** Shows: a condition, a person who decides, a branch on the answer, and a step that may fail without hurting the run. */
import { z } from "zod";
import { agent, and, eq, gate, ne, or, workflow } from "sluice/workflow";

export default workflow(
  "announcement",
  {
    description: "Drafts an announcement, asks a person when it is delicate, then publishes or files it.",
    args: z.object({ topic: z.string().default("The new opening hours") }),
  },
  ({ args }) => {
    const draft = agent("draft", {
      command: `Draft a short public announcement about "${args.topic}" and say how delicate it is.`,
      outputs: z.object({ text: z.string().min(1), risk: z.enum(["LOW", "HIGH"]) }),
    });
    const picture = agent("picture", {
      name: "Picture (nice to have)",
      command: `Describe a picture that fits this announcement - ${draft.text}`,
      timeout: 30,
      on_failure: "skip",
    });
    const release = gate("release", {
      name: "May this go out?",
      when: eq(draft.risk, "HIGH"),
      on_failure: "skip",
      expires: "2d",
      show: [
        { label: "The announcement", markdown: draft.text },
        { label: "Its picture", text: picture.stdout },
      ],
      depends_on: [picture],
    });
    agent("publish", {
      command: `Publish this text: ${draft.text}
With this picture, if any: ${picture.stdout}
`,
      when: or(eq(draft.risk, "LOW"), eq(release.approved, true)),
      action: "execute",
    });
    agent("file_away", {
      command: "Put the draft aside and note that it was not released.",
      when: and(eq(draft.risk, "HIGH"), ne(release.approved, true)),
    });
  },
);
