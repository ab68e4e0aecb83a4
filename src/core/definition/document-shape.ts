import { LIMITS } from "../base/index.ts";
import { PRIORITIES, type Priority } from "../event/index.ts";
import type { Completion, GatewayRule } from "./definition.ts";
import type { Values } from "../template/index.ts";
import { labelsShape } from "./label-shape.ts";
import { mandatory, optional } from "./record.ts";
import { type NotifyRule, workflowRules } from "./notify.ts";
import { anyText, choice, flag, type Located, number } from "./shape.ts";
import { duration, givenName, kebabName } from "./text-shape.ts";

const COMPLETIONS: readonly Completion[] = ["strict", "leaves"];

const GATEWAY_RULES: readonly GatewayRule[] = ["pinned", "any"];

export const positive = number({ isInteger: true, min: 1, expected: "a whole number, 1 or more" });

/** Fields of the whole workflow, common to both formats. */
export const DOCUMENT_HEAD = {
  name: mandatory(kebabName, "Name of the workflow, in kebab-case."),
  version: optional(positive, "The author's own number for this version."),
  description: optional(anyText, "What the workflow is for."),
  model: optional(givenName, "Model of every node that names none."),
  gateway: optional(
    choice(GATEWAY_RULES),
    "Whether nodes may go elsewhere when the gateway a run is pinned to is gone.",
    {
      default: "pinned",
    },
  ),
  timeout: optional(duration, "Seconds the whole run may take, waits included."),
  allow_secret_literals: optional(flag, "Texts that look like secrets are none.", { default: false }),
  priority: optional(choice(PRIORITIES), "Which runs of an organisation go first, unless a start or a trigger says.", {
    default: "normal",
  }),
  notify: optional(workflowRules, "Which channels are used for what happens in its runs."),
  labels: optional(
    labelsShape,
    "Names and short texts by which its runs are found; ${…} reads args and facts of the run.",
  ),
  max_parallel: optional(positive, "Nodes of one run in flight at a time.", { default: LIMITS.runParallelDefault }),
};

export function completionField(standard: Completion) {
  return optional(choice(COMPLETIONS), "How the status of the run follows from its nodes.", { default: standard });
}

interface RawHead {
  readonly name?: string | undefined;
  readonly version?: number | undefined;
  readonly description?: string | undefined;
  readonly model?: string | undefined;
  readonly gateway?: GatewayRule | undefined;
  readonly timeout?: number | undefined;
  readonly labels?: Values | undefined;
  readonly max_parallel?: number | undefined;
  readonly priority?: Priority | undefined;
  readonly notify?: readonly Located<NotifyRule>[] | undefined;
}

export function headOf(raw: RawHead) {
  return {
    name: raw.name ?? "",
    version: raw.version ?? null,
    description: raw.description ?? null,
    model: raw.model ?? null,
    gateway: raw.gateway ?? ("pinned" as const),
    timeoutMs: raw.timeout ?? null,
    labels: raw.labels ?? {},
    notify: (raw.notify ?? []).map(({ read }) => read),
    maxParallel: raw.max_parallel ?? LIMITS.runParallelDefault,
    priority: raw.priority ?? ("normal" as const),
  };
}
