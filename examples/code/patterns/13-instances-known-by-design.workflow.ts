/** Shows: WCP-13, multiple instances, their number known to the author. The list stands in the file. */
import { agent, each, workflow } from "sluice/workflow";

export default workflow("instances-known-by-design", {}, () => {
  const measure = each(
    "measure",
    ["north", "south", "west"],
    (gauge) => agent({ command: `Read the gauge in the ${gauge}.` }),
    { as: "gauge" },
  );
  agent("report", { command: `Report ${measure.items}.` });
  return { readings: measure.count };
});
