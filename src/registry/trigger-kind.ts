import type { Json, JsonObject } from "../core/base/index.ts";
import type { ParsedExpression } from "../core/expression/index.ts";
import type { Priority, WhenFull } from "../core/event/index.ts";
import type { Value, Values } from "../core/template/index.ts";
import type { Timing } from "./schedule.ts";

/** How the sender of a message is known. */
export const VERIFICATIONS = ["standard", "github", "stripe", "slack", "hmac", "basic", "bearer", "none"] as const;
export type Verification = (typeof VERIFICATIONS)[number];

export const ENCODINGS = ["hex", "base64"] as const;

export const RESPONSES = ["none", "outputs", "accepted"] as const;

/** A workflow, and what starts it. Schedules and the hooks of workflows are triggers that are written in other words. */
export interface Trigger {
  /** As what it was registered; with the name it says who started a run: `trigger:orders`. */
  readonly origin: "trigger" | "schedule" | "hook";
  readonly name: string;
  readonly workflow: string;
  readonly on: TriggerSource;
  readonly filter: ParsedExpression | null;
  /** Null: what was delivered, by the names of the args. */
  readonly args: Values | null;
  /** By which its runs are found, besides what their workflow writes. */
  readonly labels: Values;
  /** How many of its runs may be open at a time; null: any number. */
  readonly concurrency: TriggerConcurrency | null;
  /** Of the runs it starts; null: that of the workflow. */
  readonly priority: Priority | null;
  readonly respond: (typeof RESPONSES)[number];
  readonly isEnabled: boolean;
  /** Id of the caller that saved it last: who answers for its runs. */
  readonly savedBy: string | null;
}

export interface TriggerConcurrency {
  /** Runs with the same value count together; null: all runs of the trigger do. */
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
  /** Null: where the service itself has it. */
  readonly idFrom: IdPlace | null;
  /** Of `hmac`: where the signature stands, in lower case, and how it is written. */
  readonly header: string;
  readonly encoding: (typeof ENCODINGS)[number];
}

/** Where the id of a delivery stands. */
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

/** Does it need an address that cannot be guessed, because whatever knows it may use it? */
export function isOpen({ on }: Pick<Trigger, "on">): boolean {
  return on.kind === "hook" ? on.verify === "none" : on.kind === "form" && on.isPublic;
}

/** What a trigger was given, under the names that its filter and its args see. */
export interface Delivered {
  readonly body: Json;
  /** In lower case. */
  readonly headers: JsonObject;
  readonly query: JsonObject;
}

export const NOTHING_DELIVERED: Delivered = { body: {}, headers: {}, query: {} };
