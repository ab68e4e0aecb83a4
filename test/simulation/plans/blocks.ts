import type { Prng } from "../prng.ts";

interface Drafted {
  readonly id: string;
  readonly kind: string;
  readonly declares: boolean;
  readonly fields: Record<string, unknown>;
}

const KEPT = [
  "depends_on",
  "condition",
  "parallel_failure_policy",
  "for_each",
  "tolerate",
  "max_parallel",
  "max_items",
];

/** Steps with steps inside in place of some that ask an agent: drawn apart, so that all else of a plan is as it was. */
export function addBlocks(rng: Prng, steps: readonly Drafted[]): void {
  for (const { id, kind, fields } of steps) {
    const isPlain = (kind === "agent" || kind === "for_each") && Object.hasOwn(fields, "command");
    if (!isPlain || Object.hasOwn(fields, "approval") || !rng.chance(0.4)) continue;
    const policy = fields["on_failure"];
    for (const key of Object.keys(fields)) if (!KEPT.includes(key)) delete fields[key];
    if (policy === "skip" || policy === "retry_once" || policy === "retry") fields["on_failure"] = policy;
    if (rng.chance(0.15)) fields["timeout"] = rng.between(2, 8);
    const isEach = kind === "for_each";
    if (!rng.chance(0.35)) Object.assign(fields, drawBlock(rng, `${id}x`, isEach, 0));
    else {
      const first = drawBlock(rng, `${id}y`, isEach, 1);
      const second = drawBlock(rng, `${id}z`, isEach, 1);
      const last = rng.chance(0.7) ? [{ name: "rest", else: second.steps, outputs: second.outputs }] : [];
      fields["choose"] = [{ when: "mode == 'a'", ...first }, ...last];
    }
  }
}

function drawBlock(rng: Prng, id: string, isEach: boolean, depth: number) {
  const inner: Record<string, unknown>[] = [];
  const count = rng.between(1, 3);
  for (let index = 0; index < count; index += 1) inner.push(drawInner(rng, `${id}${index}`, inner, isEach, depth));
  const outputs = { n: rng.between(0, 9), ok: rng.chance(0.8), list: [1, 2], how: "${mode}" };
  return { steps: inner, outputs };
}

function drawInner(
  rng: Prng,
  id: string,
  earlier: readonly Record<string, unknown>[],
  isEach: boolean,
  depth: number,
): Record<string, unknown> {
  const roll = rng.float();
  const after = earlier.length > 0 && rng.chance(0.7) ? { depends_on: [earlier.at(-1)?.["id"]] } : {};
  if (roll < 0.1 && depth < 2) return { id, ...after, ...drawBlock(rng, `${id}v`, isEach, depth + 1) };
  if (roll < 0.25)
    return { id, ...after, set: { n: 1, seen: isEach ? "${mode} ${index}" : "${mode} ${run.workflow}" } };
  if (roll < 0.3) return { id, ...after, condition: "mode == 'b'", ...drawEnd(rng) };
  if (roll < 0.4) return { id, ...after, wait: rng.between(1, 5) };
  const policy = rng.chance(0.4) ? { on_failure: rng.pick(["skip", "retry_once"]) } : {};
  return { id, ...after, ...policy, command: `work \${mode}${isEach ? " ${item}" : ""}`, timeout: rng.between(1, 5) };
}

function drawEnd(rng: Prng): Record<string, unknown> {
  if (rng.chance(0.5)) return { fail: { code: "author_failed", message: "mode ${mode}" } };
  return { cancel: rng.chance(0.5) ? "enough" : { as: "completed", reason: "done" } };
}

/** Steps that come last. */
export function drawFinally(rng: Prng): readonly Record<string, unknown>[] | null {
  if (!rng.chance(0.25)) return null;
  const tidy = { id: "tidy", command: "tidy ${run.outcome} ${mode}", timeout: rng.between(1, 5) };
  return rng.chance(0.5) ? [tidy] : [tidy, { id: "note", set: { how: "${run.outcome}" }, depends_on: ["tidy"] }];
}
