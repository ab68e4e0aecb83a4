import type { Starter } from "./starter.ts";

export const GOVERNED: Starter = {
  name: "governed",
  about: "a person lets it out, an agent that may not, and money that ends",
  format: "lobsterx",
  args: "--arg customer=Ada",
  workflow: {
    path: "workflows/reply.lobsterX",
    text: `name: reply
description: Answers a customer. A person looks at the answer before it leaves.
args:
  customer: { type: string, default: Ada, maxLength: 80 }
steps:
  - id: collect
    agent: reader
    action: read
    command: Collect what \${customer} has written to us.
  - id: answer
    agent: writer
    command: "Write an answer to \${customer}, and say how sure you are. They wrote: \${collect.stdout}"
    estimated_cost: 0.02
    outputs:
      text: { type: string, minLength: 1 }
      certainty: { type: number, minimum: 0, maximum: 1 }
    success_criteria: ["outputs.certainty >= 0.5"]
    retry: { attempts: 2, backoff_ms: 200, retry_on: [contract_violated, provider_error] }
    on_failure: retry_once_then_escalate
  - id: send
    agent: writer
    action: write
    effects: at_most_once
    command: "Send to \${customer}: \${answer.outputs.text}"
    estimated_cost: 0.001
  # The reader only reads: this is refused, the run continues, and the log records why.
  - id: archive
    agent: reader
    action: write
    command: File the answer to \${customer}.
    depends_on: [send]
    on_failure: skip
`,
  },
  script: {
    path: "workflows/reply.script.yaml",
    text: `# What the scripted adapter answers, so that the workflow runs without a key and without cost.
nodes:
  collect: { stdout: "Where is my order?" }
  answer:
    # The first answer is too unsure to pass its criteria; the second does.
    - { outputs: { text: "It may be lost.", certainty: 0.2 }, cost_usd: 0.004 }
    - { outputs: { text: "It left us on Monday and arrives tomorrow.", certainty: 0.9 }, cost_usd: 0.004 }
  send: { stdout: sent }
`,
  },
  registry: `# Who acts here, what may be spent, and when a person is asked.
kind: Agent
name: reader
spec: { trust_level: 3, autonomy: assistive }
---
kind: Agent
name: writer
spec: { trust_level: 8, autonomy: bounded, max_concurrent: 4, budget_monthly_usd: 20 }
---
kind: Budget
name: reply-daily
spec: { scope: workflow, scope_id: reply, period: daily, amount_usd: 2 }
---
kind: Policy
name: people-send
spec:
  category: guardrail
  scope: workflow
  scope_id: reply
  condition: node.id == 'send'
  action: require_approval
  reason: A person reads what leaves the company
  approvers:
    - { who: 'role:operator', within: 4h }
`,
};
