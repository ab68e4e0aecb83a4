import { expect, it } from "vitest";
import { EMPTY_CATALOG, readDefinition } from "./index.ts";

const step = (fields: string): string => `name: w\nsteps:\n  - { id: b, command: C }\n  - { id: a, ${fields} }\n`;
const node = (config: string): string =>
  `format: lens-graph/v1\nname: w\nnodes: [{ id: a, config: { ${config} } }]\nedges: []\n`;

it.each([
  [step("command: C, repeat: { until: round > 1, while: 'true' }"), "while", "until"],
  [step("command: C, repeat: { until: round > 1, times: 3 }"), "times", "max"],
  [step("command: C, repeat: { until: round > 1, interval: 5s }"), "interval", "every"],
  [step("wait: { duration: 5m }"), "duration", "wait: 5m"],
  [step("wait: { event: x, filter: 1 == 1 }"), "filter", "match"],
  [step("emit: { type: x, payload: {} }"), "payload", "data"],
  [step("command: C, retry: { max_retries: 3 }"), "max_retries", "attempts"],
  [step("command: C, on_failure: { retry: { delay: 5 } }"), "delay", "backoff_ms"],
  [step("command: C, depends_on: [{ step: b, condition: failed }]"), "condition", "on: success"],
  [step("script: { code: return 1, lang: js }"), "lang", "Leave it out"],
  [`concurrency: { key: run.id, cancel-in-progress: true }\n${step("command: C")}`, "cancel-in-progress", "cancel_old"],
  [node("template_body: T, sleep: 5"), "sleep", "wait: 5m"],
  [node("template_body: T, matrix: []"), "matrix", "for_each"],
  [node("template_body: T, depends_on: [b]"), "depends_on", "edge"],
  [node("template_body: T, if: x"), "if", "condition on the edge"],
  [node("prompt: T"), "prompt", "template_body"],
])("a word of another system gets the word to write here: %s", (source, word, hint) => {
  const { problems } = readDefinition(source, EMPTY_CATALOG);
  const found = problems.find(({ code, message }) => code === "unknown_key" && message.startsWith(`"${word}"`));
  expect(found?.hint).toContain(hint);
});
