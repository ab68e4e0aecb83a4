/** Shows: steps inside the nodes of a lens graph; labels are read by their names. */
import { z } from "zod";
import { agent, gt, length, lensGraph, ref, set } from "sluice/workflow";

export default lensGraph("lens-blocks", {
  root_inputs: z.object({ question: z.string(), urgency: z.int().default(1) }),
  nodes: [
    { id: "read", config: { template_body: "Read [[question]]" } },
    {
      id: "research",
      label: "Research",
      config: {
        steps: () => {
          const look = agent("look", { command: `Look up ${ref("notes")}` });
          const size = set("size", { is_long: gt(length(look.stdout), 200) });
          return { found: look.stdout, is_long: size.is_long };
        },
      },
    },
    {
      id: "reply",
      config: {
        choose: [
          {
            name: "call",
            when: gt(ref<number>("urgency"), 5),
            steps: () => {
              agent("phone", { command: `Call about ${ref("found")}` });
            },
          },
          {
            name: "mail",
            else: () => {
              agent("write", { command: `Write about ${ref("found")}` });
            },
          },
        ],
      },
    },
    { id: "file", config: { template_body: "File a [[way]] about [[question]]" } },
  ],
  edges: [
    { id: "e1", source_node_id: "read", target_node_id: "research", target_param_label: "Notes" },
    {
      id: "e2",
      source_node_id: "research",
      target_node_id: "reply",
      source_output_key: "found",
      target_param_label: "found",
    },
    {
      id: "e3",
      source_node_id: "reply",
      target_node_id: "file",
      source_output_key: "branch",
      target_param_label: "way",
    },
  ],
  finally: () => {
    agent("report", { command: `Report that ${ref("question")} is ${ref("run.outcome")}` });
  },
});
