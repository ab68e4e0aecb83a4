/** What the API says of what is registered, as types. */
import type { Json, JsonObject } from "../core/base/index.ts";
import type { SentProblem } from "./wire.ts";

/** What is registered by manifests of every other kind. */
export type Collection =
  | "agents"
  | "policies"
  | "budgets"
  | "lenses"
  | "teams"
  | "library"
  | "schedules"
  | "webhooks"
  | "models"
  | "credit-plans"
  | "deployments"
  | "bindings"
  | "alerts";

/** Beside these fields, what its manifest says, in camelCase. */
export interface Registered extends JsonObject {
  readonly id: string;
  /** Counts changes; 0 for what is built in, which was made at no moment. */
  readonly revision: number;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
}

export interface ManifestDocument {
  readonly kind: string;
  readonly name: string;
  readonly spec: Json;
}

export interface Applied {
  readonly applied: readonly {
    readonly kind: string;
    readonly name: string;
    readonly action: "created" | "updated" | "unchanged" | "invalid";
    /** Line by line, as `diff -u` shows it. */
    readonly diff?: string;
    readonly problems?: readonly SentProblem[];
  }[];
}

/** The kill switch. */
export interface PlatformState {
  readonly open: boolean;
  readonly reason: string | null;
}
