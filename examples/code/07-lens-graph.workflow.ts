/** Shows: a lens graph in TypeScript; ids in edges are checked by the compiler. */
import { z } from "zod";
import { lensGraph } from "sluice/workflow";

export default lensGraph("compare-answers", {
  description: "Two drafts of one answer, judged; a doubtful judgement is looked at twice.",
  root_inputs: z.object({ question: z.string() }),
  nodes: [
    {
      id: "short",
      label: "Short answer",
      ordinal: 1,
      config: { template_body: "Answer in one sentence: [[question]]" },
    },
    {
      id: "long",
      label: "Long answer",
      ordinal: 2,
      config: {
        template_body: "Answer in one paragraph, with an example: [[question]]",
        retry: { attempts: 2, backoff_ms: 20, max_backoff_ms: 100, retry_on: ["timeout", "provider_error"] },
      },
    },
    {
      id: "judge",
      label: "Judge",
      ordinal: 3,
      config: {
        template_body: `Question: [[question]]
Candidates: [[candidates]]
Say which is better, and say DOUBT when you are not sure.
`,
      },
    },
    {
      id: "second_look",
      label: "Second look",
      ordinal: 4,
      config: { template_body: "Judge again, more carefully: [[judgement]]" },
    },
    {
      id: "reply",
      label: "Reply",
      ordinal: 5,
      config: {
        template_body: `Write the reply. First judgement: [[judgement]]
Second judgement, if there was one: [[second!]]
`,
      },
    },
  ],
  edges: [
    {
      id: "e1",
      source_node_id: "short",
      target_node_id: "judge",
      target_param_label: "candidates",
      merge_strategy: "json_object",
    },
    {
      id: "e2",
      source_node_id: "long",
      target_node_id: "judge",
      target_param_label: "candidates",
      merge_strategy: "json_object",
    },
    {
      id: "e3",
      source_node_id: "judge",
      target_node_id: "second_look",
      target_param_label: "judgement",
      condition: { type: "contains", value: "DOUBT" },
    },
    { id: "e4", source_node_id: "judge", target_node_id: "reply", target_param_label: "judgement" },
    { id: "e5", source_node_id: "second_look", target_node_id: "reply", target_param_label: "second" },
  ],
});
