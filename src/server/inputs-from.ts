import type { InputsFrom } from "../contract/index.ts";
import type { Json, JsonObject } from "../core/base/index.ts";
import { type Completed, findNode } from "../core/engine/index.ts";
import { walk } from "../core/expression/index.ts";
import { type ArgOrigin, insideOutputs, readPath } from "../core/provenance/index.ts";
import { Refused } from "./problem.ts";
import type { RunCall } from "./routes/runs.ts";
import { invalidRequest } from "./shape.ts";

/** The values of args that are taken from elsewhere. */
export async function takeInputs(call: RunCall, inputsFrom: InputsFrom, args: JsonObject): Promise<JsonObject> {
  const twice = Object.keys(inputsFrom).filter((arg) => Object.hasOwn(args, arg));
  if (twice.length > 0) throw invalidRequest(twice.map(givenTwice));
  const taken = await Promise.all(
    Object.entries(inputsFrom).map(async ([arg, from]): Promise<[string, Json]> => [
      arg,
      await takeInput(call, arg, from),
    ]),
  );
  return Object.fromEntries(taken);
}

function givenTwice(arg: string) {
  const message = `The arg "${arg}" is given in args and in inputsFrom.`;
  return { code: "invalid_request", message, path: `inputsFrom.${arg}`, hint: "Leave it out of one of them." };
}

async function takeInput(call: RunCall, arg: string, { runId, nodeId, output }: ArgOrigin): Promise<Json> {
  const { services, principal } = call;
  const view = await services.runtime.stateOf(principal.orgId, runId);
  if (view === undefined) throw new Refused("unknown_run", `inputsFrom.${arg}: there is no run "${runId}".`);
  const node = findNode(view.state, nodeId);
  const wrong = { status: 422 };
  if (node === undefined) {
    throw new Refused("unknown_node", `inputsFrom.${arg}: run "${runId}" has no node "${nodeId}".`, wrong);
  }
  if (node.now.status !== "completed") {
    const detail = `inputsFrom.${arg}: node "${nodeId}" of run "${runId}" is ${node.now.status} and has no outputs.`;
    throw new Refused("unknown_output", detail, wrong);
  }
  const value = valueIn(node.now, output);
  if (value !== undefined) return value;
  throw new Refused("unknown_output", `inputsFrom.${arg}: node "${nodeId}" has no output "${output}".`, wrong);
}

/** `f`, `outputs.f`, `data.f[0].g`; `stdout` for the text. */
function valueIn({ outputs, envelope }: Completed, path: string): Json | undefined {
  const [head] = readPath(path);
  // An output may bear any name; only what is none is looked for elsewhere.
  const own = walk(outputs, readPath(path));
  if (own !== undefined) return own;
  if (head === "stdout" || head === "output") return envelope.output;
  return walk(head === "data" ? (envelope.data ?? null) : outputs, insideOutputs(path));
}
