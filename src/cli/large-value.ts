import { type JsonObject, withOwn } from "../core/base/index.ts";
import type { StateNode } from "../client/index.ts";
import type { Api } from "./api.ts";

/** Returns a node with its large values filled in. The state of a run contains only references to them. */
export async function withLargeValues(api: Api, node: StateNode): Promise<StateNode> {
  let { output } = node;
  let outputs: JsonObject | null = node.outputs;
  for (const { path, hash } of node.refs ?? []) {
    const [place = "", name = ""] = path;
    const value = await api.getBlob(hash);
    if (place === "output" && typeof value === "string") output = value;
    else if (place === "outputs") outputs = withOwn(outputs ?? {}, name, value);
  }
  return { ...node, output, outputs };
}
