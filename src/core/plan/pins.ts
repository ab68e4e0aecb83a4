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
 * Everything that a run and its child runs refer to outside their own texts, as it was when the first of them was created. A
 * child run has the pins of its parent, so that nothing changes for a family while it runs.
 */
export interface Pins {
  /** Step fields by name of the library step. */
  readonly library: Readonly<Record<string, JsonObject>>;
  /** Lens specs, with the versions in use. */
  readonly lenses: Readonly<Record<string, JsonObject>>;
  /** By reference as written: `name` or `name@version`. */
  readonly workflows: Readonly<Record<string, PinnedVersion>>;
  readonly team: Team | null;
  /** Functions of workers by name. Absent in pins stored before functions existed. */
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

/** Returns whether nothing is pinned. Most runs need only their own text. */
export function hasNoPins({ library, lenses, workflows, team, functions = {} }: Pins): boolean {
  return team === null && [library, lenses, workflows, functions].every((entries) => Object.keys(entries).length === 0);
}

/** Returns the pins in the form stored with the text. */
export function pinsToJson(pins: Pins): JsonObject {
  return pins as unknown as JsonObject;
}

/** Reads stored pins. They are not validated, because only this program writes them. */
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

/** Compiles a text that was accepted before, with its pins. Null when it can no longer be compiled. */
export function compilePinned(source: string, pins: Pins): Plan | null {
  const { plan } = checkSource(source, hasNoPins(pins) ? EMPTY_CATALOG : catalogOfPins(pins), { isStored: true });
  return plan === null || pins.team === null ? plan : applyTeam(plan, pins.team);
}
