export interface Template {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly source: string;
}

const STEPS = `description: Says hello, then thanks.
args:
  who: { type: string, default: Ada, description: Whom to greet }
steps:
  - id: greet
    command: Say hello to \${who}.
  - id: thank
    command: "Thank \${who} for this answer: \${greet.stdout}"
`;

const TYPED = `description: Classifies a message and answers it by kind.
args:
  message: { type: string, required: true, description: The message to answer }
steps:
  - id: classify
    command: "Classify this message: \${message}"
    outputs:
      kind: { type: string, enum: [question, complaint, praise] }
      urgency: { type: integer, minimum: 1, maximum: 5 }
  - id: apologise
    command: "Apologise for what is wrong in: \${message}"
    condition: classify.outputs.kind == 'complaint'
  - id: answer
    command: "Answer this \${classify.outputs.kind}: \${message}"
    depends_on: [apologise]
    retry: { attempts: 3, backoff_ms: 1000, retry_on: [rate_limit, timeout] }
`;

const APPROVAL = `description: Drafts a text, asks a person, and publishes it.
args:
  topic: { type: string, required: true }
steps:
  - id: draft
    command: Draft a short announcement about \${topic}.
    action: read
  - id: decide
    approval: required
    depends_on: [draft]
  - id: publish
    command: "Publish this announcement: \${draft.stdout}"
    action: write
    depends_on: [decide]
`;

const FOR_EACH = `description: Looks at every item of a list at once, and sums up.
args:
  topics: { type: array, default: [tides, comets, moss] }
steps:
  - id: study
    for_each: topics
    as: topic
    max_parallel: 5
    command: Say in one sentence what is remarkable about \${topic}.
  - id: sum_up
    command: "Sum these up in one paragraph: \${study.stdout}"
`;

const LENSES = `description: Two drafts of one answer, and a judgement.
root_inputs:
  question: { type: string, required: true }
nodes:
  - id: short
    label: Short answer
    config: { template_body: "Answer in one sentence: [[question]]" }
  - id: long
    label: Long answer
    config: { template_body: "Answer in one paragraph: [[question]]" }
  - id: judge
    label: Judge
    config: { template_body: "Which answers [[question]] better? [[candidates]]" }
edges:
  - { id: e1, source_node_id: short, target_node_id: judge, target_param_label: candidates, merge_strategy: json_object }
  - { id: e2, source_node_id: long, target_node_id: judge, target_param_label: candidates, merge_strategy: json_object }
`;

const EMPTY = "steps: []\n";

/** Templates for new workflows. Each demonstrates one feature. */
export const TEMPLATES: readonly Template[] = [
  { id: "empty", title: "Empty canvas", about: "Nothing yet: draw it step by step.", source: EMPTY },
  { id: "steps", title: "Two steps", about: "An arg, a step, and a step that reads its answer.", source: STEPS },
  { id: "typed", title: "Typed outputs", about: "Outputs with a contract, a condition and retries.", source: TYPED },
  { id: "approval", title: "Ask a person", about: "A gate that waits for a person's approval.", source: APPROVAL },
  {
    id: "for-each",
    title: "For each item",
    about: "One instance per element of a list, in parallel.",
    source: FOR_EACH,
  },
  { id: "lenses", title: "Lens graph", about: "Templates as nodes, joined by edges.", source: LENSES },
];

/** Returns the text of a template with a new name. */
export function fromTemplate(id: string, name: string): string {
  const template = TEMPLATES.find((each) => each.id === id) ?? TEMPLATES.find((each) => each.id === "steps");
  const format = id === "lenses" ? "format: lens-graph/v1\n" : "";
  return `${format}name: ${name}\n${template?.source ?? ""}`;
}
