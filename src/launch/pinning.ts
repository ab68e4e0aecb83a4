import {
  digestJson,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  PROBLEM_CODES,
  type Problem,
} from "../core/base/index.ts";
import {
  catalogOfPins,
  checkSource,
  hasNoPins,
  type PinnedVersion,
  type Pins,
  pinsToJson,
  refText,
  type Team,
} from "../core/plan/index.ts";
import type { WorkerFunction, WorkflowRef } from "../core/definition/index.ts";
import { lookUpIn, surroundingsOf, teamOf } from "../registry/index.ts";
import type { RegistryStore, WorkflowStore } from "../store/index.ts";

export type PinningStore = Pick<RegistryStore, "getEntry"> & WorkflowStore;

export type Pinning =
  | {
      readonly ok: true;
      readonly pins: Pins;
      /** Texts of the workflows that may be started, by hash. */
      readonly texts: ReadonlyMap<string, string>;
      /** Problems that newer checks find in the text itself. A stored version runs anyway. */
      readonly warnings: readonly Problem[];
    }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly problems?: readonly Problem[] };

/** Maximum number of workflows that one workflow can reach, directly or indirectly. */
const WORKFLOWS_MAX = 200;

/**
 * Collects everything a run may need, including all levels of child runs. Once stored with the text, later
 * registrations do not change what the run does.
 */
export async function gatherPins(
  store: PinningStore,
  orgId: string,
  text: string,
  teamName: string | null,
): Promise<Pinning> {
  const team = teamName === null ? null : await findTeam(store, orgId, teamName);
  if (team === undefined) return { ok: false, code: "unknown_team", message: `There is no team "${teamName}".` };
  const texts = new Map<string, string>();
  const warned: Problem[] = [];
  const gathered: Gathered = { library: {}, lenses: {}, workflows: {}, functions: {} };
  const open: { readonly source: string; readonly of: string | null }[] = [{ source: text, of: null }];
  for (const { source, of } of open) {
    const { library, lenses, functions, workflows } = await surroundingsOf(source, lookUpIn(store, orgId));
    Object.assign(gathered.library, library);
    Object.assign(gathered.lenses, lenses);
    Object.assign(gathered.functions, functions);
    const catalog = { ...catalogOfPins({ ...gathered, team: null }), workflows: null };
    const { problems, warnings } = checkSource(source, catalog, { isStored: true });
    if (problems.length > 0) return lacking(problems, of);
    if (of === null) warned.push(...warnings.filter(({ code }) => PROBLEM_CODES.some((known) => known === code)));
    for (const ref of workflows) {
      if (getOwn(gathered.workflows, refText(ref)) !== undefined) continue;
      const found = await findVersion(store, orgId, ref);
      if (found === undefined) return noWorkflow(ref);
      gathered.workflows[refText(ref)] = found.pinned;
      texts.set(found.pinned.hash, found.source);
      if (open.length < WORKFLOWS_MAX) open.push({ source: found.source, of: refText(ref) });
      else
        return { ok: false, code: "invalid_definition", message: `It reaches more than ${WORKFLOWS_MAX} workflows.` };
    }
  }
  return {
    ok: true,
    pins: { ...withoutNone(gathered), lenses: usedVersions(gathered.lenses, open), team },
    texts,
    warnings: warned,
  };
}

/** Omits `functions` when there are none, as for most runs. */
function withoutNone({ functions, ...rest }: Gathered): Omit<Pins, "team"> {
  return Object.keys(functions).length === 0 ? rest : { ...rest, functions };
}

interface Gathered {
  readonly library: Record<string, JsonObject>;
  readonly lenses: Record<string, JsonObject>;
  readonly workflows: Record<string, PinnedVersion>;
  readonly functions: Record<string, WorkerFunction>;
}

/** Stores a text with its pins and returns the hash. Null when the text needs nothing besides itself. */
export async function keepPinned(
  store: Pick<WorkflowStore, "putDefinition">,
  orgId: string,
  { source, hash }: { readonly source: string; readonly hash: string },
  pins: Pins,
): Promise<string | null> {
  if (hasNoPins(pins)) return null;
  const catalog = pinsToJson(pins);
  const pinnedHash = digestJson({ hash, catalog });
  await store.putDefinition(orgId, pinnedHash, { source, catalog });
  return pinnedHash;
}

async function findTeam(store: PinningStore, orgId: string, name: string): Promise<Team | undefined> {
  const entry = await store.getEntry(orgId, "team", name);
  return entry === undefined ? undefined : teamOf(entry);
}

async function findVersion(store: PinningStore, orgId: string, ref: WorkflowRef) {
  const version = ref.version ?? (await store.getWorkflow(orgId, ref.name))?.latest.version;
  const found = version === undefined ? undefined : await store.getVersion(orgId, ref.name, version);
  if (found === undefined) return undefined;
  return { source: found.source, pinned: { version: found.version, hash: found.hash } };
}

function lacking(problems: readonly Problem[], of: string | null): Pinning {
  const [first] = problems;
  const where = of === null ? "" : `In the workflow ${of}: `;
  const message = `${where}${first?.message ?? "The definition is not valid."}`;
  return { ok: false, code: "invalid_definition", message, ...(of === null ? { problems } : {}) };
}

function noWorkflow(ref: WorkflowRef): Pinning {
  const message = `There is no workflow "${refText(ref)}", which the run would start.`;
  return { ok: false, code: "unknown_workflow", message };
}

/** Keeps only the lens versions that a run uses: the newest, and those named in a text. A lens may have a hundred versions. */
function usedVersions(
  lenses: Readonly<Record<string, JsonObject>>,
  texts: readonly { readonly source: string }[],
): Readonly<Record<string, JsonObject>> {
  const isNamed = (version: string): boolean => texts.some(({ source }) => source.includes(version));
  return Object.fromEntries(
    Object.entries(lenses).map(([name, spec]) => {
      const versions = getOwn(spec, "versions");
      if (!isJsonArray(versions)) return [name, spec];
      const used = versions.filter((version, index) => {
        const id = isJsonObject(version) ? version["id"] : undefined;
        return index === versions.length - 1 || (typeof id === "string" && isNamed(id));
      });
      return [name, { ...spec, versions: used }];
    }),
  );
}
