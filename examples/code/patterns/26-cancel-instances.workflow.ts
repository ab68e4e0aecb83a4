/** Shows: WCP-26, cancel multiple instance activity. All instances that are still open are withdrawn. */
import { z } from "zod";
import { agent, each, set, wait, workflow } from "sluice/workflow";

export default workflow(
  "cancel-instances",
  { args: z.object({ shops: z.array(z.any()).default(["north", "south", "west"]) }) },
  ({ args }) => {
    const countStock = each(
      "count_stock",
      args.shops,
      (shop) => agent({ command: `Count the stock in the ${shop}.`, timeout: "2h" }),
      { as: "shop" },
    );
    const enough = wait("enough", { signal: "stop_counting" });
    set("settled", { is_over: true }, { depends_on: [countStock, enough], join: "any", race: true });
    agent("report", { command: `Report ${countStock.items}.`, depends_on: [countStock] });
    agent("apologise", { command: "Apologise to the shops.", depends_on: [enough] });
  },
);
