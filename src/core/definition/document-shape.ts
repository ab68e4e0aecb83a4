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
  version: optional(positive, "Version number set by the author."),
  description: optional(anyText, "Purpose of the workflow."),
  model: optional(givenName, "Model of all nodes that name none."),
  gateway: optional(
    choice(GATEWAY_RULES),
    "Whether nodes may run at another gateway when the one pinned at the start of the run no longer exists.",
    {
      default: "pinned",
    },
  ),
  timeout: optional(duration, "Maximum duration of the run in seconds, waits included."),
  allow_secret_literals: optional(flag, "Allows texts that look like secrets.", { default: false }),
  priority: optional(
    choice(PRIORITIES),
    "Priority of the runs within the organisation. A start or a trigger may set another one.",
    {
      default: "normal",
    },
  ),
  notify: optional(workflowRules, "Rules for the channels that are notified of events of the runs."),
  labels: optional(
    labelsShape,
    "Labels by which the runs can be found: names and short texts; ${…} reads args and facts of the run.",
  ),
  max_parallel: optional(positive, "Maximum number of nodes of a run that are open at a time.", {
    default: LIMITS.runParallelDefault,
  }),
};

export function completionField(standard: Completion) {
  return optional(choice(COMPLETIONS), "Rule by which the status of the run follows from its nodes.", {
    default: standard,
  });
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
