/** Shows: a list that is split, worked on in parts side by side, and put together again. */
import { z } from "zod";
import { add, each, map, range, script, set, sum, workflow } from "sluice/workflow";

export default workflow(
  "map-reduce",
  { args: z.object({ parts: z.int().min(1).max(1000).default(4) }) },
  ({ args }) => {
    const splitStep = set("split", { parts: map(range(1, add(args.parts, 1)), (n) => ({ number: n })) });
    const mapStep = each(
      "map",
      splitStep.parts,
      (part) =>
        script({
          code: "return { doubled: inputs.number * 2 };",
          inputs: { number: part.number },
          outputs: z.object({ doubled: z.number() }),
        }),
      { as: "part" },
    );
    const reduce = set("reduce", { total: sum(map(mapStep.items, (item) => item.doubled)) });
    return { total: reduce.total };
  },
);
