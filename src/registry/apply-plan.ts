import { auditEntry, type AuditEntry } from "../core/audit/index.ts";
import { digestText, getOwn, isJsonObject, type JsonObject, type Place } from "../core/base/index.ts";
import { type Catalog, definitionHashOf, EMPTY_CATALOG } from "../core/definition/index.ts";
import { checkSource } from "../core/plan/index.ts";
import type { Entry, RegistryChange, RegistryStore, WorkflowStore } from "../store/index.ts";
import { changeAudit } from "./change-audit.ts";
import {
  builtInBody,
  type ChangeAction,
  planChange,
  planWorkflowChange,
  type WorkflowSettingsInput,
} from "./change.ts";
import { changedSchema, SCHEMA_HINT, schemaConflict } from "./function.ts";
import { entryKindOf, type RegisteredKind } from "./kind.ts";
import { kindOf, type Manifest } from "./manifest.ts";
import { type CheckOutbound, outboundProblems } from "./outbound-url.ts";
import { readSpec, type SpecReading } from "./read-spec.ts";
import { referenceProblems, sealedWith } from "./reference-check.ts";
import { openSecrets, sealSecrets, type SecretBox, secretPlace } from "../seal/index.ts";
import { partsOf, specProblem, type SpecProblem } from "./spec-problem.ts";
import { catalogAround, lookUpIn, surroundingsOf } from "./surroundings.ts";
import { type SourceProblem, workflowProblems, workflowSpec } from "./workflow.ts";

export interface ApplySurroundings {
  readonly store: RegistryStore & WorkflowStore;
  readonly orgId: string;
  readonly at: number;
  /** The caller recorded as the author of the changes. */
  readonly actor: string;
  readonly box: SecretBox;
  /** Whether SLUICE_SECRET_KEY is set. Values of secrets are accepted only then. */
  readonly isKeyed: boolean;
  /** Returns the names of the given gateway tokens that differ from the current ones. */
  readonly newTokens: (gatewayId: string, tokens: Readonly<Record<string, string>>) => Promise<readonly string[]>;
  /** Returns the settings of a built-in gateway that is not registered; undefined when there is none with this id. */
  readonly builtInGateway: (gatewayId: string) => JsonObject | undefined;
  /** Checks which URLs the server may call. Default: all are allowed, for callers that call none. */
  readonly checkOutbound?: CheckOutbound;
}

/** The result, or the planned result, of one manifest. */
export interface AppliedManifest {
  readonly kind: string;
  readonly name: string;
  readonly action: ChangeAction | "invalid";
  readonly diff?: string;
  readonly problems?: readonly PlacedProblem[];
}

export type PlacedProblem = Pick<SpecProblem, "code" | "message" | "path" | "hint"> & Partial<Place>;

export interface ApplyPlan {
  readonly applied: readonly AppliedManifest[];
  readonly isValid: boolean;
  /** Changes that must be written in one transaction. */
  readonly changes: readonly RegistryChange[];
  /** Audit entries of the changes. */
  readonly audit: readonly AuditEntry[];
  /** Gateways that change, with the tokens given for them. */
  readonly gateways: readonly {
    readonly id: string;
    readonly body: JsonObject;
    readonly tokens: Readonly<Record<string, string>>;
  }[];
}

interface Planned {
  readonly applied: AppliedManifest;
  readonly change?: RegistryChange;
  readonly audit?: readonly AuditEntry[];
  readonly gateway?: ApplyPlan["gateways"][number];
}

/** Checks all manifests and writes nothing. */
export async function planApply(manifests: readonly Manifest[], around: ApplySurroundings): Promise<ApplyPlan> {
  const seen = new Set<string>();
  const planned: Planned[] = [];
  for (const manifest of manifests) {
    const key = JSON.stringify([manifest.kind, manifest.name]);
    const isTwice = manifest.name !== "" && seen.has(key);
    seen.add(key);
    planned.push(isTwice ? twice(manifest) : await planOne(manifest, around, manifests));
  }
  return {
    applied: planned.map(({ applied }) => applied),
    isValid: planned.every(({ applied }) => applied.action !== "invalid"),
    changes: planned.flatMap(({ change }) => change ?? []),
    audit: [...planned.flatMap(({ audit }) => audit ?? []), ...summary(planned, around)],
    gateways: planned.flatMap(({ gateway }) => gateway ?? []),
  };
}

/** Returns one audit entry for all changes together, besides the entries of each change. */
function summary(planned: readonly Planned[], { actor, at }: ApplySurroundings): readonly AuditEntry[] {
  const changed = planned.filter(({ change }) => change !== undefined).map(({ applied }) => applied);
  if (changed.length === 0) return [];
  const detail = { changes: changed.map(({ kind, name, action }) => ({ kind, name, action })) };
  return [auditEntry({ at, type: "config.applied", actor, resource: "organisation/config", detail })];
}

function twice(manifest: Manifest): Planned {
  const message = `${manifest.kind} "${manifest.name}" is given twice.`;
  return invalid(manifest, [specProblem("duplicate_id", ["name"], message, { hint: "Keep one of them." })]);
}

/** Returns the problems of a manifest that do not depend on registered entries, each with its place. */
export function manifestProblems(manifest: Manifest, catalog: Catalog = EMPTY_CATALOG): readonly PlacedProblem[] {
  const kind = kindOf(manifest);
  if (kind === null) return placed(manifest, manifest.problems);
  const reading = readSpec(kind, manifest.name, manifest.spec);
  if (!reading.ok) return placed(manifest, reading.problems.map(inDocument));
  const lacking = kind === "Workflow" ? workflowProblems(manifest.name, reading.body, catalog) : [];
  return placed(manifest, lacking.map(inDocument));
}

async function planOne(manifest: Manifest, around: ApplySurroundings, stream: readonly Manifest[]): Promise<Planned> {
  const kind = kindOf(manifest);
  if (kind === null) return invalid(manifest, manifest.problems);
  const reading = readSpec(kind, manifest.name, manifest.spec);
  if (!reading.ok) return invalid(manifest, reading.problems.map(inDocument));
  return kind === "Workflow"
    ? planWorkflow(manifest, reading.body, around, stream)
    : planEntry(manifest, kind, reading, around, stream);
}

async function planEntry(
  manifest: Manifest,
  kind: RegisteredKind,
  { body, secrets = {} }: Extract<SpecReading, { ok: true }>,
  around: ApplySurroundings,
  stream: readonly Manifest[],
): Promise<Planned> {
  const { store, orgId, at, actor, box } = around;
  const { name } = manifest;
  const refused = around.checkOutbound === undefined ? [] : await outboundProblems(kind, body, around.checkOutbound);
  if (refused.length > 0) return invalid(manifest, refused.map(inDocument));
  const entryKind = entryKindOf(kind);
  const place = secretPlace(orgId, entryKind, name);
  const isGateway = kind === "Gateway";
  const builtIn = isGateway ? around.builtInGateway(name) : builtInBody(kind, name);
  const stored = await store.getEntry(orgId, entryKind, name);
  const before = stored?.body ?? builtIn;
  const keptSecrets = isGateway ? {} : await store.entrySecrets(orgId, entryKind, name);
  const entry = { kind, name, body, given: secrets, kept: keptSecrets };
  const lacking = await referenceProblems(entry, { ...around, beside: stream });
  if (lacking.length > 0) return invalid(manifest, lacking.map(inDocument));
  const newSecrets = isGateway
    ? await around.newTokens(name, secrets)
    : await differing(secrets, async () => openSecrets(box, place, keptSecrets));
  const changed = changedSchema(kind, before, body);
  if (changed !== null) {
    const problem = specProblem("conflicting_fields", [changed], schemaConflict(name, changed), { hint: SCHEMA_HINT });
    return invalid(manifest, [inDocument(problem)]);
  }
  const plan = planChange({ kind, name, body }, before, newSecrets, at);
  if (!plan.ok) return invalid(manifest, plan.problems.map(inDocument));
  const applied = { kind, name, action: plan.action, ...(plan.diff === undefined ? {} : { diff: plan.diff }) };
  if (plan.action === "unchanged") return { applied };
  const put = { change: "put", kind: entryKind, id: name, body: plan.body, ...expectedOf(kind, stored) } as const;
  const change = { kind, name, action: plan.action, before, after: plan.body };
  // Changes without an audit type of their own are covered by the summary.
  const audit = changeAudit(change, actor, at).filter(({ type }) => type !== "config.applied");
  // Gateway tokens are sealed and hashed later, where they are sent and checked.
  if (isGateway) return { applied, audit, change: put, gateway: { id: name, body: plan.body, tokens: secrets } };
  const sealed = sealSecrets(box, place, sealedWith({ ...entry, body: plan.body }));
  return { applied, audit, change: { ...put, secrets: sealed } };
}

/** A function is written only over the entry its schemas were compared with: workers of several servers register it at once. */
export function expectedOf(kind: RegisteredKind, before: Entry | undefined): { readonly expected?: number } {
  return kind === "Function" ? { expected: before?.revision ?? 0 } : {};
}

/** Returns the names of given secrets that differ from the stored ones. */
export async function differing(
  given: Readonly<Record<string, string>>,
  kept: () => Promise<Readonly<Record<string, string>>>,
): Promise<readonly string[]> {
  const names = Object.keys(given);
  if (names.length === 0) return [];
  const present = await kept();
  return names.filter((name) => getOwn(present, name) !== getOwn(given, name));
}

/** Entries a workflow names may be in the same stream, before or after it. */
async function workflowCatalog(
  source: string,
  around: ApplySurroundings,
  stream: readonly Manifest[],
): Promise<Catalog> {
  const { store, orgId } = around;
  const registered = lookUpIn(store, orgId);
  const written = { library: "LibraryStep", lens: "Lens", channel: "Channel", function: "Function" } as const;
  const { workflows, ...found } = await surroundingsOf(source, async (kind, name) => {
    const beside = stream.find((one) => one.kind === written[kind] && one.name === name)?.spec;
    return isJsonObject(beside) ? beside : registered(kind, name);
  });
  const known: string[] = [];
  for (const { name } of workflows) {
    const isBeside = stream.some((one) => one.kind === "Workflow" && one.name === name);
    if (isBeside || (await store.getWorkflow(orgId, name)) !== undefined) known.push(name);
  }
  return { ...catalogAround(found), workflows: known };
}

async function planWorkflow(
  manifest: Manifest,
  body: JsonObject,
  around: ApplySurroundings,
  stream: readonly Manifest[],
): Promise<Planned> {
  const { store, orgId, at, actor } = around;
  const { name } = manifest;
  const catalog = await workflowCatalog(typeof body["source"] === "string" ? body["source"] : "", around, stream);
  const lacking = workflowProblems(name, body, catalog);
  if (lacking.length > 0) return invalid(manifest, lacking.map(inDocument));
  const { source, origin: written, status, posture, exposed } = workflowSpec.parse(body);
  const origin = written ?? "file";
  const settings: WorkflowSettingsInput = {
    ...(status === undefined ? {} : { status }),
    ...(posture === undefined ? {} : { posture }),
    ...(exposed === undefined ? {} : { isExposed: exposed }),
  };
  const record = await store.getWorkflow(orgId, name);
  const newest = record === undefined ? undefined : await store.getVersion(orgId, name, record.latest.version);
  const before = record === undefined || newest === undefined ? undefined : { record, source: newest.source };
  const plan = planWorkflowChange({ source, origin, settings }, before);
  const applied: AppliedManifest = { kind: "Workflow", name, ...plan };
  if (plan.action === "unchanged") return { applied };
  const format = checkSource(source, EMPTY_CATALOG, { isStored: true }).definition?.format ?? "lobsterx";
  const hashes = { hash: digestText(source), definitionHash: definitionHashOf(source) };
  const saving = { name, ...hashes, format, origin, source, catalog: null, savedAt: at, savedBy: actor };
  const detail = {
    action: plan.action,
    hash: saving.hash,
    ...(body["status"] === undefined ? {} : { status: body["status"] }),
  };
  const audit = [auditEntry({ at, type: "workflow.saved", actor, resource: `workflow/${name}`, detail })];
  return { applied, audit, change: { change: "workflow", saving, settings } };
}

/** A problem of the name belongs to the document; every other problem belongs to its spec. */
function inDocument(problem: SpecProblem): SpecProblem {
  const { code, at, message, isAtKey = false, hint } = problem;
  if (problem.isAboutName === true) return problem;
  return { ...problem, ...specProblem(code, ["spec", ...at], message, { isAtKey, hint }) };
}

function invalid(manifest: Manifest, problems: readonly SpecProblem[]): Planned {
  const { kind, name } = manifest;
  return { applied: { kind, name, action: "invalid", problems: placed(manifest, problems) } };
}

/** Returns one problem of a manifest with its place. */
export function placedIn(manifest: Manifest, problem: SpecProblem): PlacedProblem {
  const { code, message, path, hint } = problem;
  const place = manifest.places === null ? {} : placeOf(problem, manifest.places);
  return { code, message, path, ...place, ...(hint === undefined ? {} : { hint }) };
}

function placed(manifest: Manifest, problems: readonly SpecProblem[]): readonly PlacedProblem[] {
  return problems.map((problem) => placedIn(manifest, problem));
}

function placeOf(problem: SpecProblem & Partial<SourceProblem>, places: NonNullable<Manifest["places"]>): Place {
  const { at, isAtKey = false, inSource } = problem;
  return inSource === undefined ? places.placeOf(at, isAtKey) : places.placeInText(at, inSource);
}

/** Returns the place of a path in the text of a manifest; null when the manifest came as data. */
export function placeOfPath({ kind, name, spec, places }: Manifest, path: string): Place | null {
  return places?.placeOf(partsOf(path, { kind, name, spec }), false) ?? null;
}
