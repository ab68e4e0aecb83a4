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
  "join",
  "race",
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
    addRounds(rng.fork(`rounds ${id}`), fields);
    const around = {
      isEach,
      waits: Object.hasOwn(fields, "repeat") ? 0.5 : 0.05,
      reads: drawReads(rng.fork(`reads ${id}`), fields, steps),
    };
    if (!rng.chance(0.35)) Object.assign(fields, drawBlock(rng, `${id}x`, around, 0));
    else {
      const first = drawBlock(rng, `${id}y`, around, 1);
      const second = drawBlock(rng, `${id}z`, around, 1);
      const last = rng.chance(0.7) ? [{ name: "rest", else: second.steps, outputs: second.outputs }] : [];
      fields["choose"] = [{ when: "mode == 'a'", ...first }, ...last];
    }
  }
}

function addRounds(rng: Prng, fields: Drafted["fields"]): void {
  if (Object.hasOwn(fields, "for_each") || !rng.chance(0.25)) return;
  fields["repeat"] = { until: `round >= ${rng.between(1, 2)}`, max: 3 };
}

/** What the steps inside read of those their block depends on. */
function drawReads(rng: Prng, { depends_on: named }: Drafted["fields"], steps: readonly Drafted[]): string {
  const ids = Array.isArray(named) ? named.map((each: unknown) => idOf(each)) : [];
  const readable = ids.filter((id) => steps.some((step) => step.id === id && step.kind !== "gate"));
  return readable.flatMap((id) => (rng.chance(0.4) ? [` \${${id}.stdout}`] : [])).join("");
}

function idOf(dependency: unknown): unknown {
  return typeof dependency === "object" && dependency !== null && "step" in dependency ? dependency.step : dependency;
}

/** What the steps of a block are drawn by. */
interface Around {
  readonly isEach: boolean;
  /** How many of them wait for an event. */
  readonly waits: number;
  readonly reads: string;
}

function drawBlock(rng: Prng, id: string, around: Around, depth: number) {
  const inner: Record<string, unknown>[] = [];
  const count = rng.between(1, 3);
  for (let index = 0; index < count; index += 1) {
    const drawn = drawInner(rng, `${id}${index}`, inner, around, depth);
    inner.push(maybeWait(rng.fork(`event ${id}${index}`), drawn, around.waits));
  }
  const outputs = { n: rng.between(0, 9), ok: rng.chance(0.8), list: [1, 2], how: "${mode}" };
  return { steps: inner, outputs };
}

function drawInner(
  rng: Prng,
  id: string,
  earlier: readonly Record<string, unknown>[],
  around: Around,
  depth: number,
): Record<string, unknown> {
  const { isEach, reads } = around;
  const roll = rng.float();
  const after = earlier.length > 0 && rng.chance(0.7) ? { depends_on: [earlier.at(-1)?.["id"]] } : {};
  if (roll < 0.1 && depth < 2) return { id, ...after, ...drawBlock(rng, `${id}v`, around, depth + 1) };
  if (roll < 0.25)
    return { id, ...after, set: { n: 1, seen: isEach ? "${mode} ${index}" : "${mode} ${run.workflow}" } };
  if (roll < 0.3) return { id, ...after, condition: "mode == 'b'", ...drawEnd(rng) };
  if (roll < 0.4) return { id, ...after, wait: rng.between(1, 5) };
  const policy = rng.chance(0.4) ? { on_failure: rng.pick(["skip", "retry_once"]) } : {};
  return {
    id,
    ...after,
    ...policy,
    command: `work \${mode}${isEach ? " ${item}" : ""}${reads}`,
    timeout: rng.between(1, 5),
  };
}

/** Some wait for an event instead of asking an agent: drawn apart, so that all else of a block is as it was. */
function maybeWait(rng: Prng, step: Record<string, unknown>, share: number): Record<string, unknown> {
  if (!Object.hasOwn(step, "command") || !rng.chance(share)) return step;
  const { command: _command, timeout: _timeout, on_failure: policy, ...rest } = step;
  const ending = rng.chance(0.95) ? { timeout: rng.between(1, 20), on_timeout: rng.pick(["skip", "continue"]) } : {};
  const wait = { event: rng.pick(["e1", "e2"]), match: rng.pick([{}, { k: "a" }]), ...ending };
  return { ...rest, ...(policy === "skip" ? { on_failure: policy } : {}), wait };
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
