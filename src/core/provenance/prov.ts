/** Writes the provenance of values in the terms of W3C PROV, as PROV-JSON. */
import type { Json, JsonObject } from "../base/index.ts";
import { attemptFacts, attemptOf } from "./attempt-facts.ts";
import {
  argSources,
  childOf,
  type RelatedRuns,
  inheritedHistory,
  leavesIn,
  historyAt,
  sourceHistory,
} from "./related-runs.ts";
import { escaped } from "./identity.ts";
import { insideOutputs, outputPath, readPath } from "./path.ts";
import { withChildren } from "./relatives.ts";
import { type Attempt, type CallHistory, isUsed, type NodeHistory, type RunHistory } from "./run-history.ts";

/** Formats an instant as ISO 8601. */
export type WriteInstant = (epochMs: number) => string;

const PREFIXES = {
  sluice: "urn:sluice:",
  prov: "http://www.w3.org/ns/prov#",
  xsd: "http://www.w3.org/2001/XMLSchema#",
};

/** Returns a run with its child runs. PROV entities are values, PROV activities are attempts, PROV agents are agents and people. */
export function toProv(related: RelatedRuns, runId: string, iso: WriteInstant): JsonObject {
  const statements = new Statements(related, iso);
  for (const run of withChildren(related, runId)) statements.addRun(run);
  return statements.document();
}

class Statements {
  readonly #related: RelatedRuns;
  readonly #iso: WriteInstant;
  readonly #sections = new Map<string, Map<string, Json>>();
  readonly #facts = new Set<string>();

  constructor(related: RelatedRuns, iso: WriteInstant) {
    this.#related = related;
    this.#iso = iso;
  }

  document(): JsonObject {
    const sections = [...this.#sections].map(([name, members]) => [name, Object.fromEntries(members)] as const);
    return { prefix: PREFIXES, ...Object.fromEntries(sections) };
  }

  addRun(run: RunHistory): void {
    for (const arg of Object.keys(run.start?.args ?? {})) this.#addArg(run, arg);
    for (const { histories } of run.nodes.values()) for (const history of histories) this.#addHistory(run, history);
  }

  #addArg(run: RunHistory, arg: string): void {
    const made = this.#arg(run.runId, arg);
    for (const { runId, nodeId, path, history, transform } of argSources(this.#related, run, arg) ?? []) {
      const source = nodeId === null ? this.#argAt(runId, path) : this.#value(runId, nodeId, history, path);
      this.#derived(made, source, transform);
    }
  }

  #addHistory(run: RunHistory, history: NodeHistory): void {
    if (!isUsed(history) && history.result === null) return;
    for (const attempt of history.attempts) this.#addAttempt(run, history, attempt);
    for (const call of history.calls) this.#addCall(run, history, call);
    if (history.result !== null) this.#addResult(run, history);
  }

  #addAttempt(run: RunHistory, history: NodeHistory, attempt: Attempt): void {
    const id = attemptName(run.runId, attempt);
    const {
      startedAt,
      endedAt,
      agentId,
      approvals,
      policies,
      calls: _calls,
      isInvalidated: _taken,
      ...facts
    } = attemptFacts(run, history, attempt);
    const known = Object.entries(facts).filter(([, value]) => value !== null);
    this.#declare("activity", id, {
      "prov:startTime": this.#iso(startedAt),
      ...(endedAt === null ? {} : { "prov:endTime": this.#iso(endedAt) }),
      ...Object.fromEntries(known.map(([name, value]) => [`sluice:${name}`, value])),
      ...(policies.length === 0 ? {} : { "sluice:policies": [...policies] }),
    });
    if (agentId !== null) this.#associate(id, `agent/${escaped(agentId)}`, "prov:SoftwareAgent", "agent");
    if (facts.promptBy !== null) {
      this.#associate(id, `person/${escaped(facts.promptBy)}`, "prov:Person", "prompt author");
    }
    for (const { by } of approvals) {
      if (by !== null) this.#associate(id, `person/${escaped(by)}`, "prov:Person", "approver");
    }
    for (const input of history.inputs) {
      const { sourceRunId, sourceNodeId, sourceOutputPath, targetInputPath } = input;
      const source = sourceHistory(run, input);
      const used =
        sourceNodeId === null
          ? this.#argAt(sourceRunId, sourceOutputPath)
          : this.#value(sourceRunId, sourceNodeId, source, sourceOutputPath);
      this.#relate("used", { "prov:activity": id, "prov:entity": used, "prov:role": targetInputPath });
      const maker = source === undefined ? undefined : attemptOf(source);
      if (maker !== undefined) this.#informed(id, attemptName(sourceRunId, maker));
    }
    if (attempt.childRunId !== null) this.#informedByChild(id, attempt.childRunId);
  }

  /** Adds a tool call: its result is an entity, the call an activity that generated it, and the server of the tool an agent. */
  #addCall(run: RunHistory, history: NodeHistory, call: CallHistory): void {
    const made = this.#returned(run.runId, history, call);
    const { tool, server, by, isError, isCarried, startedAt, endedAt } = call;
    if (isCarried) {
      const source = this.#related.runs.get(run.start?.sourceRunId ?? "");
      const before = source?.nodes.get(history.nodeId)?.histories.at(-1);
      const same = before?.calls.find(({ callId }) => placeOf(callId) === placeOf(call.callId));
      if (source !== undefined && before !== undefined && same !== undefined && by === null) {
        this.#derived(made, this.#returned(source.runId, before, same), "carried");
      }
    }
    if (by !== null) return this.#attribute(made, `person/${escaped(by)}`, "prov:Person");
    if (isCarried) return;
    const id = `${made}/call`;
    this.#declare("activity", id, {
      "prov:startTime": this.#iso(startedAt),
      "prov:endTime": this.#iso(endedAt),
      "sluice:tool": tool,
      "sluice:isError": isError,
    });
    this.#relate("wasGeneratedBy", { "prov:entity": made, "prov:activity": id, "prov:time": this.#iso(endedAt) });
    if (server !== null) this.#associate(id, `server/${escaped(server)}`, "prov:SoftwareAgent", "tool server");
    const maker = history.attempts.find(({ attempt }) => attempt === call.attempt);
    if (maker === undefined) return;
    this.#informed(id, attemptName(run.runId, maker));
    this.#relate("used", {
      "prov:activity": attemptName(run.runId, maker),
      "prov:entity": made,
      "prov:role": `tool ${tool}`,
    });
  }

  #returned(runId: string, { nodeId }: NodeHistory, { callId, tool, server }: CallHistory): string {
    const id = `sluice:run/${escaped(runId)}/node/${escaped(nodeId)}/tool/${placeOf(callId)}`;
    this.#declare("entity", id, {
      "prov:type": qualified("sluice:ToolResult"),
      "sluice:runId": runId,
      "sluice:nodeId": nodeId,
      "sluice:callId": callId,
      "sluice:tool": tool,
      ...(server === null ? {} : { "sluice:server": server }),
    });
    return id;
  }

  #attribute(made: string, who: string, type: string): void {
    const agent = `sluice:${who}`;
    this.#declare("agent", agent, { "prov:type": qualified(type) });
    this.#relate("wasAttributedTo", { "prov:entity": made, "prov:agent": agent });
  }

  #informedByChild(id: string, childRunId: string): void {
    const child = this.#related.runs.get(childRunId);
    for (const { histories } of child?.nodes.values() ?? []) {
      const last = histories.at(-1);
      const maker = last === undefined ? undefined : attemptOf(last);
      if (maker !== undefined) this.#informed(id, attemptName(childRunId, maker));
    }
  }

  #addResult(run: RunHistory, history: NodeHistory): void {
    const { result, nodeId } = history;
    if (result === null) return;
    const { runId } = run;
    const made = this.#result(runId, nodeId, history);
    if (result.by !== null) this.#attribute(made, `person/${escaped(result.by)}`, "prov:Person");
    const maker = result.isCarried ? undefined : attemptOf(history);
    if (maker !== undefined) {
      const time = { "prov:time": this.#iso(result.at) };
      this.#relate("wasGeneratedBy", { "prov:entity": made, "prov:activity": attemptName(runId, maker), ...time });
    }
    for (const name of Object.keys(result.outputs)) this.#value(runId, nodeId, history, outputPath([name]));
    for (const [source, transform] of this.#sourcesOf(run, history)) this.#derived(made, source, transform);
    if (history.invalidatedAt !== null) {
      this.#relate("wasInvalidatedBy", { "prov:entity": made, "prov:time": this.#iso(history.invalidatedAt) });
    }
  }

  /** Returns the sources of a result: its inputs, the results it collects, or the result it was carried over from. */
  #sourcesOf(run: RunHistory, history: NodeHistory): readonly (readonly [string, string | null])[] {
    const { runId, start } = run;
    const childRunId = childOf(history);
    if (typeof history.result?.by === "string") return [];
    if (history.result?.isCarried === true) {
      const source = this.#related.runs.get(start?.sourceRunId ?? "");
      if (source === undefined) return [];
      return [[this.#result(source.runId, history.nodeId, inheritedHistory(source, run, history)), "carried"]];
    }
    if (childRunId !== null) {
      const child = this.#related.runs.get(childRunId);
      const leaves = leavesIn(history, child, []);
      return leaves.map((leaf) => [this.#result(childRunId, leaf, child && historyAt(child, leaf)), "child"]);
    }
    const collected = (history.instanceIds ?? []).map(
      (nodeId) => [this.#result(runId, nodeId, historyAt(run, nodeId)), "collect"] as const,
    );
    const bound = history.inputs.map((input) => {
      const { sourceRunId, sourceNodeId, sourceOutputPath, transform } = input;
      if (sourceNodeId === null) return [this.#argAt(sourceRunId, sourceOutputPath), transform] as const;
      return [this.#value(sourceRunId, sourceNodeId, sourceHistory(run, input), sourceOutputPath), transform] as const;
    });
    const returned = history.calls.map((call) => [this.#returned(runId, history, call), "tool"] as const);
    return [...collected, ...bound, ...returned];
  }

  #argAt(runId: string, path: string): string {
    const [, name = ""] = readPath(path);
    return this.#arg(runId, String(name));
  }

  #arg(runId: string, name: string): string {
    const id = `sluice:run/${escaped(runId)}/args/${escaped(name)}`;
    this.#declare("entity", id, {
      "prov:type": qualified("sluice:Arg"),
      "sluice:runId": runId,
      "sluice:path": `args.${name}`,
    });
    return id;
  }

  #result(runId: string, nodeId: string, history: NodeHistory | undefined): string {
    const id = resultName(runId, nodeId, history);
    const type = { "prov:type": qualified("prov:Collection") };
    this.#declare("entity", id, { ...type, "sluice:runId": runId, "sluice:nodeId": nodeId });
    return id;
  }

  /** Returns the entity of a path in a result. A field is a member of the result. */
  #value(runId: string, nodeId: string, history: NodeHistory | undefined, path: string): string {
    const result = this.#result(runId, nodeId, history);
    const isWhole = insideOutputs(path).length === 0 && readPath(path)[0] === "outputs";
    if (isWhole) return result;
    const id = `${result}/${escaped(path)}`;
    const about = { "sluice:runId": runId, "sluice:nodeId": nodeId, "sluice:path": path };
    this.#declare("entity", id, { "prov:type": qualified("sluice:Value"), ...about });
    this.#relate("hadMember", { "prov:collection": result, "prov:entity": id });
    return id;
  }

  #associate(id: string, who: string, type: string, role: string): void {
    const agent = `sluice:${who}`;
    this.#declare("agent", agent, { "prov:type": qualified(type) });
    this.#relate("wasAssociatedWith", { "prov:activity": id, "prov:agent": agent, "prov:role": role });
  }

  #informed(informed: string, informant: string): void {
    if (informed === informant) return;
    this.#relate("wasInformedBy", { "prov:informed": informed, "prov:informant": informant });
  }

  #derived(made: string, source: string, transform: string | null): void {
    const how = transform === null ? {} : { "sluice:transform": transform };
    this.#relate("wasDerivedFrom", { "prov:generatedEntity": made, "prov:usedEntity": source, ...how });
  }

  /** Adds a relation once, under a generated name. */
  #relate(section: string, relation: JsonObject): void {
    const fact = JSON.stringify([section, relation]);
    if (this.#facts.has(fact)) return;
    this.#facts.add(fact);
    this.#declare(section, `_:${section}${(this.#sections.get(section)?.size ?? 0) + 1}`, relation);
  }

  #declare(section: string, id: string, about: JsonObject): void {
    const members = this.#sections.get(section) ?? new Map<string, Json>();
    this.#sections.set(section, members);
    if (!members.has(id)) members.set(id, about);
  }
}

/** Returns epoch, round and position of a call, which identify it within its node. */
function placeOf(callId: string): string {
  return callId.split("/").slice(-3).join("/");
}

function qualified(name: string): JsonObject {
  return { $: name, type: "prov:QUALIFIED_NAME" };
}

function attemptName(runId: string, { nodeId, attempt }: Attempt): string {
  return `sluice:run/${escaped(runId)}/node/${escaped(nodeId)}/attempt/${attempt}`;
}

/** Returns the name of a result. Each history of a node has its own, identified by the event that recorded it. */
function resultName(runId: string, nodeId: string, history: NodeHistory | undefined): string {
  return `sluice:run/${escaped(runId)}/node/${escaped(nodeId)}/result/${history?.result?.eventId ?? 0}`;
}
