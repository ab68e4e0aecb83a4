/** Shows: a lens graph whose texts are moderated. */
import { z } from "zod";
import { lensGraph } from "sluice/workflow";

export default lensGraph("moderated-reply", {
  description: "Answers a letter. What holds a secret neither leaves nor stays.",
  root_inputs: z.object({ letter: z.string().default("Where is my parcel?") }),
  nodes: [
    { id: "summary", label: "Summary", config: { template_body: "Summarise: [[letter]]", moderation: "input" } },
    { id: "answer", label: "Answer", config: { template_body: "Answer kindly: [[summary]]", moderation: "both" } },
    {
      id: "note",
      label: "Note for the file",
      config: { template_body: "Note for the file: [[answer]]", on_parent_failure: "skip" },
    },
  ],
  edges: [
    { id: "e1", source_node_id: "summary", target_node_id: "answer", target_param_label: "summary" },
    { id: "e2", source_node_id: "answer", target_node_id: "note", target_param_label: "answer" },
  ],
});
