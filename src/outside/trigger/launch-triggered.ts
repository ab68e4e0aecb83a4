import type { Launcher, LaunchCaller, LaunchIdempotency, LaunchResult } from "../../launch/index.ts";
import type { Delivered, Trigger } from "../../registry/index.ts";
import { evaluateTrigger } from "./evaluate.ts";
import type { DeclaredArgs } from "./message-args.ts";

/** One delivery to a trigger. */
export interface Firing {
  readonly orgId: string;
  readonly trigger: Trigger;
  readonly delivered: Delivered;
  /** Ensures that the same delivery starts the same run, however often and on whichever replica it arrives. */
  readonly idempotency: Pick<LaunchIdempotency, "key" | "bodyHash">;
  /** Default: the trigger itself, on behalf of the caller that saved it last. */
  readonly caller?: LaunchCaller;
  /** For an event: the number of runs in the chain that led to it. */
  readonly hops?: number;
}

export type FiringResult = LaunchResult | { readonly kind: "filtered" };

/** Returns the name under which a trigger starts runs: `trigger:orders`. */
export function actorOf({ origin, name }: Pick<Trigger, "origin" | "name">): string {
  return `${origin}:${name}`;
}

/** Starts a run for a trigger of any kind: filter, args, launch. All triggers use this path. */
export async function launchTriggered(
  launcher: Launcher,
  { orgId, trigger, delivered, idempotency, caller, hops }: Firing,
  declaredArgs: () => Promise<DeclaredArgs>,
): Promise<FiringResult> {
  const { workflow, on, savedBy, priority } = trigger;
  const evaluated = evaluateTrigger(trigger, delivered, trigger.args === null ? await declaredArgs() : {});
  if (evaluated.kind === "filtered") return evaluated;
  if (evaluated.kind === "failed") {
    return { kind: "refused", refusal: { code: evaluated.code, message: evaluated.message } };
  }
  const actor = actorOf(trigger);
  return launcher.launch({
    orgId,
    workflow,
    args: evaluated.args,
    trigger: on.kind,
    ...(caller ?? { startedBy: actor, ...(savedBy === null ? {} : { requestedBy: savedBy }) }),
    idempotency: { orgId, keyId: actor, workflow, ...idempotency },
    ...(hops === undefined ? {} : { hops }),
    ...(Object.keys(evaluated.labels).length === 0 ? {} : { labels: evaluated.labels }),
    ...(priority === null ? {} : { priority }),
    ...(evaluated.limit === null ? {} : { limit: evaluated.limit }),
  });
}
