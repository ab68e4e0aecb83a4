import type { Json, JsonObject } from "../core/base/index.ts";
import type { ParsedExpression } from "../core/expression/index.ts";
import type { Priority, WhenFull } from "../core/event/index.ts";
import type { Value, Values } from "../core/template/index.ts";
import type { Timing } from "./schedule.ts";

/** Ways to verify the sender of a message. */
export const VERIFICATIONS = ["standard", "github", "stripe", "slack", "hmac", "basic", "bearer", "none"] as const;
export type Verification = (typeof VERIFICATIONS)[number];

export const ENCODINGS = ["hex", "base64"] as const;

export const RESPONSES = ["none", "outputs", "accepted"] as const;

/** A workflow and the source that starts it. Schedules and the hooks of workflows are triggers in another notation. */
export interface Trigger {
  /** The kind of registration. With the name it identifies the starter of a run: `trigger:orders`. */
  readonly origin: "trigger" | "schedule" | "hook";
  readonly name: string;
  readonly workflow: string;
  readonly on: TriggerSource;
  readonly filter: ParsedExpression | null;
  /** Values of the args; null when the delivered values are matched to the args by name. */
  readonly args: Values | null;
  /** Labels of its runs, besides those the workflow sets. */
  readonly labels: Values;
  /** Limit of its open runs; null when there is none. */
  readonly concurrency: TriggerConcurrency | null;
  /** Priority of the runs it starts; null when that of the workflow applies. */
  readonly priority: Priority | null;
  readonly respond: (typeof RESPONSES)[number];
  readonly isEnabled: boolean;
  /** Id of the caller that saved it last, who is responsible for its runs. */
  readonly savedBy: string | null;
}

export interface TriggerConcurrency {
  /** Runs with the same value count together; null when all runs of the trigger do. */
  readonly key: Value | null;
  readonly limit: number;
  readonly whenFull: WhenFull;
}

export type TriggerSource =
  | {
      readonly kind: "schedule";
      readonly timing: Timing;
      readonly overlap: "skip" | "queue" | "allow";
      readonly missed: "skip" | "run_once" | "backfill";
    }
  | HookSource
  | { readonly kind: "event"; readonly type: string; readonly match: JsonObject | null }
  | { readonly kind: "form"; readonly isPublic: boolean };

export interface HookSource {
  readonly kind: "hook";
  readonly verify: Verification;
  /** Place of the delivery id; null for the usual place of the service. */
  readonly idFrom: IdPlace | null;
  /** For `hmac`: the header with the signature, in lower case, and its encoding. */
  readonly header: string;
  readonly encoding: (typeof ENCODINGS)[number];
}

/** The place of the id of a delivery. */
export interface IdPlace {
  readonly part: "body" | "headers" | "query";
  readonly path: readonly (string | number)[];
}

export type ScheduledTrigger = Trigger & { readonly on: Extract<TriggerSource, { kind: "schedule" }> };
export type HookTrigger = Trigger & { readonly on: HookSource };

export function isScheduled(trigger: Trigger): trigger is ScheduledTrigger {
  return trigger.on.kind === "schedule";
}

export function isHook(trigger: Trigger): trigger is HookTrigger {
  return trigger.on.kind === "hook";
}

/** Checks whether the trigger needs a secret address, because any sender who knows it may use it. */
export function isOpen({ on }: Pick<Trigger, "on">): boolean {
  return on.kind === "hook" ? on.verify === "none" : on.kind === "form" && on.isPublic;
}

/** The content of a delivery, under the names that the filter and the args use. */
export interface Delivered {
  readonly body: Json;
  /** Header names are in lower case. */
  readonly headers: JsonObject;
  readonly query: JsonObject;
}

export const NOTHING_DELIVERED: Delivered = { body: {}, headers: {}, query: {} };
