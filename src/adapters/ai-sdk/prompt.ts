import { getOwn, jsonToText, type JsonObject } from "../../core/base/index.ts";
import type { AdapterRequest } from "../../adapter/index.ts";
import { storable } from "./storable.ts";

const SESSION_INPUT = "sessionId";
const SESSION_LENGTH_MAX = 200;

/** The instructions to the model before the conversation; undefined when there are none. */
export function instructionsOf(request: AdapterRequest, isSchemaShown: boolean): string | undefined {
  const parts = [request.systemPrompt ?? ""];
  if (request.outputStrategy === "json") parts.push(jsonInstruction(request.outputSchema, isSchemaShown));
  const text = parts.filter((part) => part !== "").join("\n\n");
  return text === "" ? undefined : text;
}

function jsonInstruction(schema: JsonObject | undefined, isSchemaShown: boolean): string {
  if (schema === undefined) return "Answer with JSON and nothing else: no explanation, no code fence.";
  const start = "Answer with one JSON object and nothing else: no explanation, no code fence.";
  return isSchemaShown ? `${start} It must fit this JSON Schema:\n${JSON.stringify(schema)}` : start;
}

/** Returns the message, the stdin text, and the inputs that the message or stdin do not already contain. */
export function userTextOf(request: AdapterRequest): string {
  const { message, stdin } = request;
  const parts = [message];
  if (stdin !== undefined && stdin !== "") parts.push(`Input:\n${stdin}`);
  const rest = Object.entries(request.inputs).filter(([name, value]) => {
    const text = jsonToText(value);
    return name !== SESSION_INPUT && text !== "" && !message.includes(text) && stdin?.includes(text) !== true;
  });
  if (rest.length > 0) parts.push(`Inputs:\n${JSON.stringify(Object.fromEntries(rest))}`);
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Returns the correction request for a model whose answer did not fit. It is sent at most once. */
export function reaskText(problems: readonly string[]): string {
  const list = problems.map((problem) => `- ${problem}`).join("\n");
  return `Your answer does not fit what was asked for:\n${list}\nAnswer again, completely, with the JSON alone.`;
}

/** Returns the id of the agent's thread to which the conversation belongs. */
export function sessionIdOf(request: AdapterRequest): string {
  const given = getOwn(request.inputs, SESSION_INPUT);
  const id = typeof given === "string" && given !== "" ? given : `${request.runId}/${request.stepId}`;
  return storable(id.slice(0, SESSION_LENGTH_MAX));
}
