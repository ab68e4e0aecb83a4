import { NOTHING_EXPENSIVE } from "./nothing-expensive.ts";
import type { Starter } from "./starter.ts";

export const LENS_GRAPH: Starter = {
  name: "lens-graph",
  about: "a graph of templates: two drafts, a judgement, a branch, a join",
  format: "lens-graph",
  args: '--arg question="Why is the sky blue?"',
  workflow: {
    path: "workflows/answer.yaml",
    text: `format: lens-graph/v1
name: answer
description: Two drafts of an answer, judged; a doubtful judgement is looked at twice.
root_inputs:
  question: { type: string, required: true }
nodes:
  - id: short
    lens_id: null
    label: Short answer
    ordinal: 1
    config:
      template_body: "Answer in one sentence: [[question]]"
  - id: long
    lens_id: null
    label: Long answer
    ordinal: 2
    config:
      template_body: "Answer in one paragraph, with an example: [[question]]"
  - id: judge
    lens_id: null
    label: Judge
    ordinal: 3
    config:
      template_body: |
        Question: [[question]]
        Candidates: [[candidates]]
        Say which is better, and say DOUBT when you are not sure.
  - id: second_look
    lens_id: null
    label: Second look
    ordinal: 4
    config:
      template_body: "Judge again, more carefully: [[judgement]]"
  - id: reply
    lens_id: null
    label: Reply
    ordinal: 5
    config:
      template_body: |
        Write the reply. First judgement: [[judgement]]
        Second judgement, if there was one: [[second!]]
edges:
  - { id: e1, source_node_id: short, target_node_id: judge, target_param_label: candidates, merge_strategy: json_object }
  - { id: e2, source_node_id: long, target_node_id: judge, target_param_label: candidates, merge_strategy: json_object }
  - id: e3
    source_node_id: judge
    target_node_id: second_look
    target_param_label: judgement
    condition: { type: contains, value: DOUBT }
  - { id: e4, source_node_id: judge, target_node_id: reply, target_param_label: judgement }
  - { id: e5, source_node_id: second_look, target_node_id: reply, target_param_label: second }
`,
  },
  script: {
    path: "workflows/answer.script.yaml",
    text: `# What the scripted adapter answers, so that the workflow runs without a key and without cost.
default: echo
nodes:
  judge: { stdout: "The long answer is better.", cost_usd: 0.001 }
`,
  },
  registry: `# Who acts here, what it may spend, and what no agent may do.
kind: Agent
name: writer
spec: { trust_level: 5, autonomy: supervised, max_concurrent: 4 }
---
kind: Budget
name: answer-daily
spec: { scope: workflow, scope_id: answer, period: daily, amount_usd: 1 }
---
${NOTHING_EXPENSIVE}`,
};
