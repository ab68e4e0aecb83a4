/** Shows: one step per element of a list, two at a time, one failure tolerated, and a step that reads all results. */
import { z } from "zod";
import { agent, each, workflow } from "sluice/workflow";

export default workflow(
  "translate-menu",
  {
    description: "Finds the dishes of a menu and translates each of them.",
    args: z.object({ language: z.enum(["Portuguese", "Italian", "Greek"]).default("Portuguese") }),
  },
  ({ args }) => {
    const dishes = agent("dishes", {
      command: "List the dishes of today's menu.",
      outputs: z.object({ dishes: z.array(z.string()) }),
    });
    const translate = each(
      "translate",
      dishes.dishes,
      (dish, index) => agent({ command: `Translate dish ${index}, "${dish}", into ${args.language}.` }),
      { as: "dish", max_items: 50, max_parallel: 2, tolerate: 1 },
    );
    agent("menu", { command: `Lay out the translated menu - ${translate.items}` });
  },
);
