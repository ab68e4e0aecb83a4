import type { Json, JsonObject } from "../core/base/index.ts";
import { type Completed, findNode } from "../core/engine/index.ts";
import { walk } from "../core/expression/index.ts";
import { type ArgOrigin, insideOutputs, readPath } from "../core/provenance/index.ts";
import type { Runtime } from "../driver/index.ts";
import type { InputsFrom, LaunchRefusal } from "./launcher.ts";

export type TakenInputs =
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly refusal: LaunchRefusal };

/** Reads the args that are taken from outputs of other runs. */
export async function takeInputs(
  runtime: Pick<Runtime, "stateOf">,
  orgId: string,
  inputsFrom: InputsFrom,
  args: JsonObject,
): Promise<TakenInputs> {
  const twice = Object.keys(inputsFrom).filter((arg) => Object.hasOwn(args, arg));
  if (twice.length > 0) return { ok: false, refusal: givenTwice(twice) };
  const taken = await Promise.all(
    Object.entries(inputsFrom).map(async ([arg, origin]) => ({
      arg,
      ...(await takeInput(runtime, orgId, arg, origin)),
    })),
  );
  const failed = taken.find(({ refusal }) => refusal !== undefined);
  if (failed?.refusal !== undefined) return { ok: false, refusal: failed.refusal };
  return { ok: true, args: Object.fromEntries(taken.map(({ arg, value = null }) => [arg, value])) };
}

function givenTwice(args: readonly string[]): LaunchRefusal {
  const problems = args.map((arg) => ({
    code: "invalid_request",
    message: `The arg "${arg}" is given in args and in inputsFrom.`,
    path: `inputsFrom.${arg}`,
    hint: "Leave it out of one of them.",
  }));
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return { code: "invalid_request", message: `${problems[0]?.message ?? ""}${more}`, problems };
}

interface TakenInput {
  readonly value?: Json;
  readonly refusal?: LaunchRefusal;
}

async function takeInput(
  runtime: Pick<Runtime, "stateOf">,
  orgId: string,
  arg: string,
  { runId, nodeId, output }: ArgOrigin,
): Promise<TakenInput> {
  const refuse = (code: string, why: string): TakenInput => ({
    refusal: { code, message: `inputsFrom.${arg}: ${why}.` },
  });
  const view = await runtime.stateOf(orgId, runId);
  if (view === undefined) return refuse("unknown_run", `there is no run "${runId}"`);
  const node = findNode(view.state, nodeId);
  if (node === undefined) return refuse("unknown_node", `run "${runId}" has no node "${nodeId}"`);
  if (node.now.status !== "completed") {
    return refuse("unknown_output", `node "${nodeId}" of run "${runId}" is ${node.now.status} and has no outputs`);
  }
  const value = valueIn(node.now, output);
  return value === undefined ? refuse("unknown_output", `node "${nodeId}" has no output "${output}"`) : { value };
}

/** Returns the value at a path: `f`, `outputs.f` or `data.f[0].g`; `stdout` for the text. */
function valueIn({ outputs, envelope }: Completed, path: string): Json | undefined {
  const [head] = readPath(path);
  // An output may have any name, so outputs are tried before reserved names.
  const own = walk(outputs, readPath(path));
  if (own !== undefined) return own;
  if (head === "stdout" || head === "output") return envelope.output;
  return walk(head === "data" ? (envelope.data ?? null) : outputs, insideOutputs(path));
}
