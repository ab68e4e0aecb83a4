/** Shows: one step for each combination of two lists, stopped at the first failure. */
import { z } from "zod";
import { each, flatten, map, process, set, workflow } from "sluice/workflow";

export default workflow(
  "test-matrix",
  {
    args: z.object({
      versions: z.array(z.any()).default(["20", "22", "24"]),
      systems: z.array(z.any()).default(["linux", "windows"]),
    }),
  },
  ({ args }) => {
    const matrix = set("matrix", {
      all: flatten(map(args.versions, (v) => map(args.systems, (s) => ({ version: v, system: s })))),
    });
    const test = each(
      "test",
      matrix.all,
      (one) => process({ command: "npm-test", inputs: { version: one.version, system: one.system } }),
      { as: "one", parallel_failure_policy: "fail_fast" },
    );
    return { tested: test.count };
  },
);
