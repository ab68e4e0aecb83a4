import { NOTHING_EXPENSIVE } from "./nothing-expensive.ts";
import type { Starter } from "./starter.ts";

export const MINIMAL: Starter = {
  name: "minimal",
  about: "two steps, the second built on the first",
  format: "lobsterx",
  args: "--arg topic=tides",
  workflow: {
    path: "workflows/hello.lobsterX",
    text: `name: hello
description: Writes a sentence about something, then a title for it.
args:
  topic: { type: string, default: tides, maxLength: 200 }
steps:
  - id: sentence
    agent: writer
    command: Write one sentence about \${topic} that a child would enjoy.
    estimated_cost: 0.001
  - id: title
    agent: writer
    command: "Find a title of at most five words for: \${sentence.stdout}"
    estimated_cost: 0.001
`,
  },
  script: {
    path: "workflows/hello.script.yaml",
    text: `# What the scripted adapter answers, so that the workflow runs without a key and without cost.
nodes:
  sentence: { stdout: "Twice a day the moon borrows the sea, and twice a day it gives it back.", cost_usd: 0.0004 }
  title: { stdout: The borrowed sea, cost_usd: 0.0001 }
`,
  },
  registry: `# Who acts here, what it may spend, and what no agent may do.
kind: Agent
name: writer
spec:
  trust_level: 5
  autonomy: supervised
  max_concurrent: 4
  budget_monthly_usd: 10
---
kind: Budget
name: hello-daily
spec: { scope: workflow, scope_id: hello, period: daily, amount_usd: 1 }
---
${NOTHING_EXPENSIVE}`,
};
