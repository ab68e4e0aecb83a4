import type { Prng } from "../prng.ts";
import { type Draft, drawId, drawSize } from "./lobster.ts";
import type { EdgeForm } from "./oracle.ts";

const RETRY_ON = ["timeout", "provider_error", "rate_limit", "contract_violated"] as const;

export function draftLensGraph(rng: Prng, name: string, children: readonly string[]): Draft {
  const size = drawSize(rng);
  const ids = Array.from({ length: size }, (_, index) => drawId(rng, index));
  const edges: Record<string, unknown>[] = [];
  const forms = new Map<string, EdgeForm[]>();
  const labels = new Map<string, string[]>();
  ids.forEach((target, index) => {
    const wanted = index === 0 ? 0 : rng.pick([0, 1, 1, 2, 2, 3]);
    const sources = new Set(Array.from({ length: wanted }, () => rng.pick(ids.slice(Math.max(0, index - 5), index))));
    for (const source of sources) {
      const equals = rng.chance(0.3) ? "yes" : null;
      const label = rng.pick(["x", "y"]);
      edges.push(draftEdge(rng, `e${edges.length}`, source, target, label, equals));
      forms.set(target, [...(forms.get(target) ?? []), { source, equals }]);
      labels.set(target, [...(labels.get(target) ?? []), label]);
    }
  });
  const document: Record<string, unknown> = {
    format: "lens-graph/v1",
    name,
    root_inputs: { q: { type: "string", default: "why" } },
    nodes: ids.map((id) => ({
      id,
      lens_id: null,
      config: {
        ...drawWork(rng.fork(`work ${id}`), draftConfig(rng, id, labels.get(id) ?? [], children)),
        ...drawJoin(rng.fork(`join ${id}`), new Set(forms.get(id)?.map(({ source }) => source)).size),
      },
    })),
    edges,
  };
  if (rng.chance(0.2)) document["max_parallel"] = rng.between(1, 3);
  if (rng.chance(0.07)) document["timeout"] = rng.between(2, 15);
  if (rng.chance(0.3)) document["completion"] = "strict";
  return { document, oracle: { conditions: new Map(), edges: forms } };
}

/** What a node does as a step does, in place of what it would have asked; drawn apart as well. */
function drawWork(rng: Prng, config: Record<string, unknown>): Record<string, unknown> {
  if ("workflow_ref" in config || !rng.chance(0.2)) return config;
  const { template_body: asked, ...rest } = config;
  const elements = rng.chance(0.4)
    ? { for_each: rng.pick(["['yes', 'b']", "[q]", "[]"]), tolerate: rng.between(0, 1) }
    : {};
  const asking = asked === undefined ? {} : { template_body: asked };
  const work = rng.pick([
    asking,
    { set: { n: "${q}", m: { expr: "length(q) + 1" } } },
    { wait: rng.pick(["1s", "3s"]) },
    { emit: { type: "told", key: { q: "${q}" } } },
    { steps: [{ id: "inner", set: { n: "${q}" } }], outputs: { n: "${inner.n}" } },
  ]);
  return { ...rest, ...elements, ...work };
}

/** Drawn apart, so that graphs without joins stay as they were. */
function drawJoin(rng: Prng, parents: number): Record<string, unknown> {
  if (parents === 0 || !rng.chance(0.1)) return {};
  return { join: rng.chance(0.5) ? "any" : rng.between(1, parents), ...(rng.chance(0.4) ? { race: true } : {}) };
}

function draftEdge(
  rng: Prng,
  id: string,
  source: string,
  target: string,
  label: string,
  equals: string | null,
): Record<string, unknown> {
  const edge: Record<string, unknown> = {
    id,
    source_node_id: source,
    target_node_id: target,
    target_param_label: label,
  };
  if (equals !== null) edge["condition"] = { type: "equals", value: equals };
  else if (rng.chance(0.2)) edge["source_output_key"] = "data.n";
  return edge;
}

function draftConfig(
  rng: Prng,
  id: string,
  labels: readonly string[],
  children: readonly string[],
): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  if (rng.chance(0.6)) config["on_parent_failure"] = rng.pick(["skip", "propagate", "substitute_default"]);
  if (rng.chance(0.3)) config["merge"] = rng.pick(["last_write_wins", "concat", "array", "json_object"]);
  if (children.length > 0 && rng.chance(0.08)) {
    config["workflow_ref"] = rng.pick(children);
    config["with"] = { mode: rng.pick(["a", "b"]) };
    return config;
  }
  config["timeout_ms"] = rng.between(1, 5) * 1000;
  if (rng.chance(0.6)) {
    const seen = [...new Set(labels)].map((label) => `[[${label}]]`).join(" ");
    const unbound = rng.chance(0.04) ? " [[unbound]]" : "";
    config["template_body"] = `${id} [[q]] [[extra!]] ${seen}${unbound}`;
  }
  if (rng.chance(0.15)) config["moderation"] = rng.pick(["input", "output", "both"]);
  if (rng.chance(0.5)) {
    config["retry"] = {
      attempts: rng.between(1, 4),
      backoff_ms: rng.pick([10, 500]),
      max_backoff_ms: rng.pick([800, 2000]),
      retry_on: RETRY_ON.filter(() => rng.chance(0.8)),
    };
  }
  return config;
}
