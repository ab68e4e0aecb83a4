import type { ReceivedCall } from "../providers/server.ts";
import { answerStatus, type Behaviour, hang, say } from "../providers/index.ts";

/** A workflow, what it is given, and how a model behaves towards it: the same for a page and for a server. */
export interface Scene {
  readonly name: string;
  readonly source: string;
  readonly args: Readonly<Record<string, string>>;
  readonly status: string;
  readonly isCutShort?: boolean;
  /** By the text the prompt holds and how often it was asked. */
  readonly answers: readonly (readonly [string, readonly Behaviour[]])[];
}

const STEPS = `name: tide-report
args: { place: { type: string, required: true } }
steps:
  - { id: draft, command: "Draft a report about \${place}." }
  - id: classify
    command: "Classify: \${draft.stdout}"
    outputs: { kind: { type: string, enum: [calm, storm] }, score: integer, parts: { type: array, items: { type: string } } }
  - id: part
    for_each: classify.outputs.parts
    command: "Part \${item}."
  - { id: warn, command: "Warn.", condition: "classify.outputs.kind == 'storm'" }
  - { id: joined, command: "Join \${classify.outputs.score}.", depends_on: [part, warn] }
`;

const GRAPH = `format: lens-graph/v1
name: compare
root_inputs: { question: { type: string, required: true } }
nodes:
  - { id: first, label: First, config: { template_body: "First answer to [[question]]" } }
  - { id: second, label: Second, config: { template_body: "Second answer to [[question]]", retry: { attempts: 3, backoff_ms: 1, max_backoff_ms: 2, retry_on: [rate_limit, provider_error] } } }
  - { id: third, label: Third, config: { template_body: "Third answer to [[question]]", moderation: both } }
  - { id: judge, label: Judge, config: { template_body: "Judge: [[answers]]" } }
edges:
  - { id: e1, source_node_id: first, target_node_id: judge, target_param_label: answers, merge_strategy: concat }
  - { id: e2, source_node_id: second, target_node_id: judge, target_param_label: answers, merge_strategy: concat }
  - { id: e3, source_node_id: first, target_node_id: third, target_param_label: other, condition: { type: contains, value: unlikely } }
`;

export const SCENES: readonly Scene[] = [
  {
    name: "steps with a contract, a list and a branch not taken",
    source: STEPS,
    args: { place: "Ålesund 🌊" },
    status: "completed",
    answers: [
      ["Draft a report", [say("High ", "tide 🌊 ", "at noon.")]],
      ["Your answer does not fit", [say('```json\n{"kind": "calm, mostly", "score": "7", "parts": ["a", "b"]}\n```')]],
      ["Classify", [say('{"kind": "planet"}')]],
      ["Part a.", [say("A is fine.")]],
      ["Part b.", [say("B is fine.")]],
      ["Join 7.", [say("All is fine.")]],
    ],
  },
  {
    name: "a graph with a merge, a retry and an edge that is not satisfied",
    source: GRAPH,
    args: { question: "Why tides?" },
    status: "completed",
    answers: [
      ["First answer", [say("The ", "moon.")]],
      [
        "Second answer",
        [answerStatus(429, "slow down", { "retry-after-ms": "5" }), answerStatus(503, "busy"), say("The sun too.")],
      ],
      ["Judge: The moon.\n\nThe sun too.", [say("Both.")]],
    ],
  },
  {
    name: "a key that is refused",
    source:
      "name: refused\nsteps:\n  - { id: a, command: Ask., on_failure: skip }\n  - { id: b, command: Then., depends_on: [a] }\n",
    args: {},
    status: "completed",
    answers: [["Ask.", [answerStatus(401, "bad key")]]],
  },
  {
    name: "an answer that breaks off",
    source: "name: broken\nsteps:\n  - { id: a, command: Break. }\n",
    args: {},
    status: "failed",
    isCutShort: true,
    answers: [["Break.", [{ kind: "spoken", chunks: ["half"], end: "missing" }]]],
  },
  {
    name: "a model that refuses",
    source: "name: refusing\nsteps:\n  - { id: a, command: Refuse. }\n",
    args: {},
    status: "failed",
    answers: [["Refuse.", [{ kind: "spoken", chunks: ["I cannot."], finish: "refusal" }]]],
  },
  {
    name: "an answer that never comes",
    source: "name: late\nsteps:\n  - { id: a, command: Wait., timeout: 0.3 }\n",
    args: {},
    status: "failed",
    isCutShort: true,
    answers: [["Wait.", [hang()]]],
  },
  {
    name: "an answer that never fits",
    source: "name: unfit\nsteps:\n  - { id: a, command: Count., outputs: { n: integer } }\n",
    args: {},
    status: "failed",
    answers: [["Count.", [say("many"), say('{"n": "lots"}')]]],
  },
];

/** The model of a scene; each caller gets a fresh one. */
export function modelOf({ answers }: Scene): (call: ReceivedCall) => Behaviour {
  const asked = new Map<string, number>();
  return ({ body }) => {
    const prompt = JSON.stringify(body["messages"]);
    const found = answers.find(([text]) => prompt.includes(JSON.stringify(text).slice(1, -1)));
    if (found === undefined) return answerStatus(418, "unexpected prompt");
    const [text, behaviours] = found;
    const count = asked.get(text) ?? 0;
    asked.set(text, count + 1);
    return behaviours[Math.min(count, behaviours.length - 1)] ?? say("");
  };
}
