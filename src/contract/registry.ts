/** Objects registered by manifests, and the kill switch. */
import { z } from "zod";
import type { Json } from "../core/base/index.ts";
import { type Answered, json } from "./field.ts";
import { sentProblemSchema } from "./problem.ts";

/** The collections of objects registered by manifests: every kind except gateways and workflows. */
export const COLLECTIONS = [
  "agents",
  "policies",
  "budgets",
  "lenses",
  "teams",
  "library",
  "schedules",
  "triggers",
  "webhooks",
  "channels",
  "models",
  "credit-plans",
  "retentions",
  "tools",
  "functions",
  "grants",
  "deployments",
  "bindings",
  "alerts",
  "secrets",
] as const;
export type Collection = (typeof COLLECTIONS)[number];

const moment = z.iso.datetime().nullable().describe("Time in ISO 8601, UTC; null for built-in entries");

export const registeredSchema = z
  .object({
    id: z.string(),
    revision: z.number().int().nonnegative().describe("Number of the change; 0 for built-in entries"),
    createdAt: moment,
    updatedAt: moment,
  })
  .catchall(json)
  .describe("The fields of the manifest, in camelCase, except write-only fields");
/** A registered object. Besides these fields it has the fields of its manifest, in camelCase. */
export type Registered = Answered<typeof registeredSchema>;

/** A new value of a secret. The manifest reader checks it. */
export const rotateBody = z.strictObject({ value: z.string().describe("The new value. It is never returned") });

/** A manifest as it is sent. The manifest reader checks its spec. */
export const manifestSchema = z.object({ kind: z.string(), name: z.string(), spec: z.record(z.string(), json) });
export interface ManifestDocument {
  readonly kind: string;
  readonly name: string;
  readonly spec: Json;
}

export const applyQuery = z.object({
  dryRun: z.enum(["true", "false"]).default("false").describe("`true` reports the changes and makes none"),
});

export const appliedSchema = z.object({
  applied: z.array(
    z.object({
      kind: z.string(),
      name: z.string(),
      action: z.enum(["created", "updated", "unchanged", "invalid"]),
      diff: z.string().optional().describe("Unified diff, as diff -u prints it"),
      problems: z.array(sentProblemSchema).optional(),
    }),
  ),
});
export type Applied = Answered<typeof appliedSchema>;

const REASON_LENGTH_MAX = 1_000;

export const platformBody = z.strictObject({
  open: z.boolean().describe("`false`: no run starts and no node is dispatched"),
  reason: z.string().max(REASON_LENGTH_MAX).nullish().describe("Reason shown to people"),
});

/** The kill switch. */
export const platformSchema = z.object({ open: z.boolean(), reason: z.string().nullable() });
export type PlatformState = Answered<typeof platformSchema>;
