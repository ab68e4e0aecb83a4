/** Shows: WCP-14, multiple instances, their number known when they start. The list is what a step before has found. */
import { z } from "zod";
import { agent, each, workflow } from "sluice/workflow";

export default workflow("instances-known-at-run-time", {}, () => {
  const rooms = agent("rooms", {
    command: "List the rooms that were booked today.",
    outputs: z.object({ names: z.array(z.string()) }),
  });
  const check = each("check", rooms.names, (room) => agent({ command: `Check ${room}.` }), { as: "room" });
  agent("report", { command: `Report ${check.count} rooms.` });
  return { checked: check.count };
});
