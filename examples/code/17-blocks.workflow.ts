/** Shows: steps inside steps, once per element; one of several branches; steps that run last. */
import { z } from "zod";
import { agent, choose, each, finallyDo, lte, map, set, workflow } from "sluice/workflow";

export default workflow(
  "refunds",
  {
    args: z.object({
      requests: z.array(z.any()).default([
        { order: "A1", amount: 12, reason: "broken" },
        { order: "B2", amount: 480, reason: "late" },
      ]),
    }),
  },
  ({ args }) => {
    const eachStep = each(
      "each",
      args.requests,
      (request) => {
        const rate = set("rate", { is_small: lte(request.amount, 50) });
        const decide = choose("decide", [
          {
            name: "small",
            when: rate.is_small,
            steps: () => {
              const pay = set("pay", { text: `paid ${request.amount} for ${request.order}` });
              return { text: pay.text };
            },
          },
          {
            name: "large",
            else: () => {
              const look = agent("look", { command: `Look into ${request.order}: ${request.reason}` });
              const note = set("note", { text: look.stdout });
              return { text: note.text };
            },
          },
        ]);
        return { decision: `${decide.branch}: ${decide.text}` };
      },
      { as: "request", max_parallel: 5, tolerate: 1 },
    );
    finallyDo(({ run }) => {
      agent("report", { command: `Report that the refunds are ${run.outcome}.` });
    });
    return { decisions: map(eachStep.items, (one) => one.decision) };
  },
);
