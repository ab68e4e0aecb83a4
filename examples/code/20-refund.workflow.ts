/** Shows: a step that handles the failure of another, and one that runs however that other ended. */
import { z } from "zod";
import { agent, workflow } from "sluice/workflow";

export default workflow(
  "refund",
  {
    description:
      "Pays for an order and ships it; when the payment fails, the customer is told and the run is still in order.",
    args: z.object({ order: z.string().default("A-17") }),
  },
  ({ args }) => {
    const reserve = agent("reserve", { command: `Reserve the goods of order ${args.order}.` });
    const pay = agent("pay", {
      command: `Charge the customer for order ${args.order}.`,
      depends_on: [reserve],
      retry: { attempts: 2, backoff_ms: 20, max_backoff_ms: 100, retry_on: ["provider_error"] },
    });
    const ship = agent("ship", { command: `Ship order ${args.order}.`, depends_on: [pay] });
    agent("apologise", {
      command: `Write that order ${args.order} could not be paid after ${pay.error.attempts} attempts - ${pay.error.message}`,
      depends_on: [{ step: pay, on: "failure" }],
    });
    agent("release", {
      command: `Release what is still reserved for order ${args.order}.`,
      depends_on: [reserve, { step: ship, on: "settled" }],
    });
    return { problem: pay.error.code };
  },
);
