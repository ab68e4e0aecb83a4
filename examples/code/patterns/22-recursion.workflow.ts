/** Shows: WCP-22, recursion. A workflow that starts itself for a part of its work, at most five levels deep. */
import { z } from "zod";
import { child, gt, multiply, orElse, set, subtract, workflow } from "sluice/workflow";

export default workflow("recursion", { args: z.object({ n: z.int().min(1).max(5).default(4) }) }, ({ args }) => {
  const begin = set("begin", { rest: subtract(args.n, 1) });
  const smaller = child("smaller", "recursion", { n: begin.rest }, { when: gt(begin.rest, 0) });
  return { product: multiply(args.n, orElse(smaller.product, 1)) };
});
