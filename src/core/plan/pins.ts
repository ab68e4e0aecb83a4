import { getOwn, isJsonObject, type Json, type JsonObject } from "../base/index.ts";
import {
  type Catalog,
  EMPTY_CATALOG,
  type WorkerFunction,
  type Lens,
  parseLens,
  type WorkflowRef,
} from "../definition/index.ts";
import { checkSource } from "./check.ts";
import type { Plan } from "./plan.ts";
import { applyTeam } from "./team/apply-team.ts";
import type { Team } from "./team/team.ts";

/**
 * Everything a run and its child runs refer to outside their own texts, as it was when the first of them was created.
 * A child run has the pins of its parent, so that nothing of a family ever changes while it runs.
 */
export interface Pins {
  /** Step fields by library name. */
  readonly library: Readonly<Record<string, JsonObject>>;
  /** Specs of lenses, with the versions that are used. */
  readonly lenses: Readonly<Record<string, JsonObject>>;
  /** By reference as it was written: `name` or `name@version`. */
  readonly workflows: Readonly<Record<string, PinnedVersion>>;
  readonly team: Team | null;
  /** Functions of workers by name; absent: kept before there were any. */
  readonly functions?: Readonly<Record<string, WorkerFunction>>;
}

export interface PinnedVersion {
  readonly version: number;
  readonly hash: string;
}

export const NO_PINS: Pins = { library: {}, lenses: {}, workflows: {}, team: null };

export function refText({ name, version }: WorkflowRef): string {
  return version === null ? name : `${name}@${version}`;
}

export function pinnedVersion(pins: Pins, ref: WorkflowRef): PinnedVersion | undefined {
  return getOwn(pins.workflows, refText(ref));
}

/** Whether anything is pinned at all: most runs need nothing but their own text. */
export function hasNoPins({ library, lenses, workflows, team, functions = {} }: Pins): boolean {
  return team === null && [library, lenses, workflows, functions].every((entries) => Object.keys(entries).length === 0);
}

/** As it is kept beside the text. */
export function pinsToJson(pins: Pins): JsonObject {
  return pins as unknown as JsonObject;
}

/** Kept by this program, so that its shape is known. */
export function pinsOfJson(json: JsonObject | null): Pins {
  return json === null ? NO_PINS : { ...NO_PINS, ...(json as unknown as Partial<Pins>) };
}

export function catalogOfPins({ library, lenses, workflows, functions }: Pins): Catalog {
  return {
    library,
    lenses: Object.fromEntries(Object.entries(lenses).flatMap(([name, spec]) => lensOf(name, spec))),
    workflows: Object.keys(workflows).map((ref) => ref.split("@", 1)[0] ?? ref),
    functions: functions ?? null,
  };
}

function lensOf(name: string, spec: Json): readonly (readonly [string, Lens])[] {
  const read = isJsonObject(spec) ? parseLens(name, spec) : undefined;
  return read?.ok === true ? [[name, read.value]] : [];
}

/** The plan of a text that was accepted once, with what was pinned for it; null when it can no longer be compiled. */
export function compilePinned(source: string, pins: Pins): Plan | null {
  const { plan } = checkSource(source, hasNoPins(pins) ? EMPTY_CATALOG : catalogOfPins(pins), { isStored: true });
  return plan === null || pins.team === null ? plan : applyTeam(plan, pins.team);
}
