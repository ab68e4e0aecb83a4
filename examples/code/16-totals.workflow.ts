/** Shows: values as inputs, set, a list that is calculated, an early end, and outputs of the run. */
import { z } from "zod";
import {
  agent,
  cancel,
  count,
  divide,
  each,
  eq,
  fail,
  filter,
  gt,
  map,
  multiply,
  ne,
  orElse,
  round,
  set,
  sort_by,
  sum,
  typed,
  workflow,
} from "sluice/workflow";

export default workflow(
  "totals",
  {
    args: z.object({
      orders: z.array(z.any()).default([
        { customer: "ann", amount: 120 },
        { customer: "bob", amount: 30 },
        { customer: "cleo", amount: 250 },
      ]),
      limit: z.number().default(100),
    }),
  },
  ({ args }) => {
    const sums = set("sums", {
      total: sum(map(args.orders, (order) => order.amount)),
      large: filter(args.orders, (order) => gt(order.amount, args.limit)),
    });
    cancel(
      "nothing_large",
      { as: "completed", reason: `no order is above ${args.limit}` },
      { when: eq(sums.large.length, 0) },
    );
    fail(
      "too_much",
      { code: "total_too_high", message: `The orders come to ${sums.total}.` },
      { when: gt(sums.total, 10000) },
    );
    const letters = each(
      "letters",
      sort_by(sums.large, (order) => order.amount),
      (order) => set({ text: `Dear ${order.customer}, thank you for ${order.amount}.` }),
      { as: "order" },
    );
    agent("report", {
      inputs: {
        method: "POST",
        url: `https://example.org/customers/${orElse(sums.large[0].customer, "none")}`,
        body: { total: sums.total, tags: ["daily", `${sums.large.length} large`] },
        share: typed(round(divide(multiply(100, sums.large.length), count(args.orders))), z.int().max(100)),
      },
      command: (inputs) => `${inputs.method} ${inputs.body} to ${inputs.url} (${inputs.share} %)`,
      on_failure: { retry: { attempts: 3, if: (error) => ne(error.class, "provider_refused") }, then: "skip" },
    });
    return {
      total: sums.total,
      large: typed(sums.large, z.array(z.any())),
      letters: map(letters.items, (letter) => letter.text),
    };
  },
);
