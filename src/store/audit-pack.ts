import { type AuditEntry, CATEGORY_OF, ENGINE_ACTOR } from "../core/audit/index.ts";
import { getOwn, type JsonObject, required } from "../core/base/index.ts";

/**
 * Begins a packed text, and replaces the run id in it. JSON escapes this character, so neither a plain list of entries
 * nor a value contains it, and a program that does not know the packed form cannot parse one.
 */
const MARK = "\x1f";

/** An entry as far as it does not follow from its run, from its type and from the entries before it. */
interface PackedEntry extends Pick<AuditEntry, "type" | "node"> {
  /** Absent: the time of the entry before it. */
  readonly at?: number;
  /** Absent: the engine. */
  readonly actor?: string;
  /** Absent: the detail of the last packed entry of this type, with the members of `changed`. */
  readonly detail?: JsonObject;
  readonly changed?: JsonObject;
}

/** Returns the entries of a run's commit as one text, about half as long as their JSON. */
export function packAudit(runId: string, entries: readonly AuditEntry[]): string {
  const details = new Map<string, JsonObject>();
  let at: number | null = null;
  let text = "";
  for (const entry of entries) {
    if (text !== "") text += ",";
    text += isOfRun(entry, runId) ? packedEntry(entry, at, details) : JSON.stringify(entry);
    at = entry.at;
  }
  return `${MARK}[${text.replaceAll(runId, MARK)}]`;
}

/** Whether category, run and resource need not be written. */
function isOfRun({ run, node, type, category, resource }: AuditEntry, runId: string): boolean {
  return run === runId && category === CATEGORY_OF[type] && resource === resourceOf(runId, node);
}

function resourceOf(runId: string, node: string | undefined): string {
  return node === undefined ? `run/${runId}` : `node/${node}`;
}

function packedEntry(entry: AuditEntry, at: number | null, details: Map<string, JsonObject>): string {
  const { type, node, actor, detail } = entry;
  const before = details.get(type);
  details.set(type, detail);
  let text = `{"type":"${type}"`;
  if (entry.at !== at) text += `,"at":${entry.at}`;
  if (actor !== ENGINE_ACTOR) text += `,"actor":${JSON.stringify(actor)}`;
  if (node !== undefined) text += `,"node":${JSON.stringify(node)}`;
  const changed = before === undefined ? null : changedMembers(before, detail);
  return changed === null ? `${text},"detail":${JSON.stringify(detail)}}` : `${text},"changed":{${changed}}}`;
}

/** Returns the members that differ, as JSON. Null unless both objects have the same members in the same order. */
function changedMembers(before: JsonObject, now: JsonObject): string | null {
  const names = Object.keys(now);
  const earlier = Object.keys(before);
  if (names.length !== earlier.length) return null;
  let text = "";
  for (const [index, name] of names.entries()) {
    const value = getOwn(now, name);
    if (name !== earlier[index] || value === undefined) return null;
    if (value === getOwn(before, name)) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${JSON.stringify(value)}`;
  }
  return text;
}

/** Returns the entries in a text: packed, or plain as one entry or a list. */
export function unpackAudit(runId: string, text: string): readonly AuditEntry[] {
  if (!text.startsWith(MARK)) return [JSON.parse(text) as AuditEntry | AuditEntry[]].flat();
  const details = new Map<string, JsonObject>();
  let last: number | undefined;
  const parts = JSON.parse(text.slice(MARK.length).replaceAll(MARK, runId)) as readonly (AuditEntry | PackedEntry)[];
  return parts.map((part) => {
    const at = required(part.at ?? last, "the first entry has a time");
    last = at;
    if ("category" in part) return part;
    const { type, node, actor = ENGINE_ACTOR, changed } = part;
    const detail = required(part.detail ?? details.get(type), "an entry follows one with the same members");
    const whole = changed === undefined ? detail : { ...detail, ...changed };
    details.set(type, whole);
    const entry = { at, type, actor, resource: resourceOf(runId, node), run: runId };
    return { ...entry, ...(node === undefined ? {} : { node }), detail: whole, category: CATEGORY_OF[type] };
  });
}
