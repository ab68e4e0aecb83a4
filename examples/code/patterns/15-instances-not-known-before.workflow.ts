/** Shows: WCP-15, multiple instances, their number not known before. Instances find further work; each round does what was found. */
import { z } from "zod";
import { count, each, eq, flatten, get, map, orElse, repeat, set, workflow } from "sluice/workflow";

export default workflow(
  "instances-not-known-before",
  {
    args: z.object({
      links: z.record(z.string(), z.any()).default({ home: ["shop", "blog"], shop: ["cart"], blog: [], cart: [] }),
    }),
  },
  ({ args }) => {
    const crawl = repeat(
      "crawl",
      ({ previous }) => {
        const todo = set("todo", { pages: orElse(previous.found, ["home"]), visited: orElse(previous.visited, []) });
        const visit = each("visit", todo.pages, (page) => set({ name: page, found: get(args.links, page, []) }), {
          as: "page",
        });
        const allStep = set("all", {
          found: flatten(map(visit.items, (x) => x.found)),
          visited: flatten([todo.visited, map(visit.items, (x) => x.name)]),
        });
        return { found: allStep.found, visited: allStep.visited };
      },
      { until: (outputs) => eq(count(outputs.found), 0), max: 20 },
    );
    return { visited: crawl.visited, rounds: crawl.rounds };
  },
);
