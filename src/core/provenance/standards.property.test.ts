import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { playSchedule } from "../../../test/simulation/schedule.ts";
import { isJsonObject, type Json, type JsonObject, jsonToText } from "../base/index.ts";
import { isoFromEpochMs } from "../view/index.ts";
import { type RelatedRuns, handoffsOf, lineageOf, readRelatedRuns, toOpenLineage, toProv } from "./index.ts";
import { escaped, uuidOf } from "./identity.ts";

/* The shapes of PROV-JSON and of OpenLineage's run events, as their schemas want them. */
const name = z.string().regex(/^(?:_|sluice|prov|xsd):(?:[A-Za-z0-9_/~]|%[0-9A-F]{2})+$/);
const literal = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.strictObject({ $: z.string(), type: z.string(), lang: z.string().optional() }),
]);
/** Readers take any other datatype, and a bare text, for a literal: then nothing has a type they know. */
const typeName = z.strictObject({ $: name, type: z.literal("prov:QUALIFIED_NAME") });
const attributes = z
  .record(z.string().regex(/^(?:sluice|prov):\w+$/), z.union([literal, z.array(literal)]))
  .refine((stated) => stated["prov:type"] === undefined || typeName.safeParse(stated["prov:type"]).success);
const relation = (...ends: string[]) =>
  z
    .record(
      name,
      attributes.refine((stated) => ends.every((end) => name.safeParse(stated[end]).success)),
    )
    .optional();
const provSchema = z.strictObject({
  prefix: z.record(z.string().regex(/^[a-zA-Z0-9_-]+$/), z.url()),
  entity: z.record(name, attributes).optional(),
  activity: z.record(name, attributes).optional(),
  agent: z.record(name, attributes).optional(),
  used: relation("prov:activity", "prov:entity"),
  wasGeneratedBy: relation("prov:entity", "prov:activity"),
  wasAssociatedWith: relation("prov:activity", "prov:agent"),
  wasDerivedFrom: relation("prov:generatedEntity", "prov:usedEntity"),
  wasInformedBy: relation("prov:informed", "prov:informant"),
  wasInvalidatedBy: relation("prov:entity"),
  hadMember: relation("prov:collection", "prov:entity"),
});

const moment = z.iso.datetime();
const facet = z.looseObject({ _producer: z.url(), _schemaURL: z.url() });
const facets = z.record(z.string(), facet);
const subject = z.strictObject({ namespace: z.literal("sluice"), name: z.string().min(1), facets });
const parentFacet = facet.extend({
  run: z.strictObject({ runId: z.uuid() }),
  job: subject.omit({ facets: true }),
});
const lineageFacet = facet.extend({
  fields: z.record(
    z.string(),
    z.strictObject({
      inputFields: z.array(
        z.strictObject({
          namespace: z.string(),
          name: z.string(),
          field: z.string().min(1),
          transformations: z.array(
            z.strictObject({
              type: z.enum(["DIRECT", "INDIRECT"]),
              subtype: z.string(),
              description: z.string(),
              masking: z.boolean(),
            }),
          ),
        }),
      ),
    }),
  ),
});
const output = subject.extend({ facets: z.looseObject({ columnLineage: lineageFacet }) });
const runEventSchema = z.strictObject({
  eventType: z.enum(["START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"]),
  eventTime: moment,
  run: z.strictObject({
    runId: z.uuid(),
    facets: z.intersection(facets, z.looseObject({ parent: parentFacet.optional() })),
  }),
  job: subject,
  inputs: z.array(subject),
  outputs: z.array(output),
  producer: z.url(),
  schemaURL: z.literal("https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"),
});

const seeds = fc.integer({ min: 0, max: 499 });
const RUNS = { numRuns: 40 };

/** What the engine writes under crashes, retries, rewinds, restarts, children, lists and people. */
function relatedOf(seed: number): RelatedRuns {
  const { runs } = playSchedule(seed, { checkers: [], probes: [] });
  return readRelatedRuns(
    runs.map(({ facts, start, log }) => ({ runId: facts.runId, workflow: start.workflow, events: log })),
  );
}

describe("on any log the engine writes", () => {
  it("every lineage ends in args, in sources without inputs, in values nothing used, or in a cut", () => {
    const check = (seed: number): void => {
      const related = relatedOf(seed);
      for (const run of related.runs.values()) {
        for (const nodeId of run.nodes.keys()) {
          for (const direction of ["up", "down"] as const) {
            const { points, links } = lineageOf(related, { runId: run.runId, nodeId }, direction);
            const isContinued = new Set(links.map(({ from, to }) => (direction === "up" ? to : from)));
            for (const { id, end, nodeId: at } of points) {
              expect(end === null, `${direction} from ${run.runId}/${nodeId}: ${at}`).toBe(isContinued.has(id));
              if (end !== null)
                expect(direction === "up" ? ["arg", "source", "cut"] : ["unused", "cut"]).toContain(end);
            }
          }
        }
      }
    };
    fc.assert(fc.property(seeds, check), RUNS);
  });

  it("what is up from one value is down from the other", () => {
    const check = (seed: number): void => {
      const related = relatedOf(seed);
      for (const run of [...related.runs.values()].slice(0, 3)) {
        const made = [...run.nodes.values()].filter(
          ({ histories }) => typeof histories.at(-1)?.result?.eventId === "number",
        );
        for (const { nodeId } of made.slice(0, 5)) {
          for (const { runId, nodeId: from, path, end } of lineageOf(related, { runId: run.runId, nodeId }, "up")
            .points) {
            if (end !== "arg") continue;
            const down = lineageOf(related, { runId, nodeId: from, output: path }, "down").points;
            expect(
              down.some((point) => point.runId === run.runId && point.nodeId === nodeId),
              `${runId} ${path}`,
            ).toBe(true);
          }
        }
      }
    };
    fc.assert(fc.property(seeds, check), RUNS);
  });

  it("hand-offs are unique, and both exports have the shape of their standard", () => {
    const check = (seed: number): void => {
      const related = relatedOf(seed);
      for (const runId of related.runs.keys()) {
        const rows = handoffsOf(related, runId).map((row) => JSON.stringify(row));
        expect(new Set(rows).size).toBe(rows.length);
        const prov = toProv(related, runId, isoFromEpochMs);
        expect(provSchema.safeParse(prov).error?.issues ?? []).toEqual([]);
        expect(unknownEnds(prov)).toEqual([]);
        const events = toOpenLineage(related, runId, isoFromEpochMs);
        for (const event of events) expect(runEventSchema.safeParse(event).error?.issues ?? []).toEqual([]);
        expect(badlyBounded(events)).toEqual([]);
      }
    };
    fc.assert(fc.property(seeds, check), RUNS);
  });
});

/** Relations that name something the document does not declare. */
function unknownEnds(prov: JsonObject): string[] {
  const declared = (section: string): Set<string> => new Set(Object.keys(prov[section] ?? {}));
  const [entities, attempts, agents] = [declared("entity"), declared("activity"), declared("agent")];
  const kinds = new Map([
    ...["prov:entity", "prov:generatedEntity", "prov:usedEntity", "prov:collection"].map(
      (end) => [end, entities] as const,
    ),
    ...["prov:activity", "prov:informed", "prov:informant"].map((end) => [end, attempts] as const),
    ["prov:agent", agents] as const,
  ]);
  const relations = Object.entries(prov).filter(
    ([section]) => !["prefix", "entity", "activity", "agent"].includes(section),
  );
  return relations.flatMap(([section, stated]) =>
    Object.values(isJsonObject(stated) ? stated : {}).flatMap((fact: Json) =>
      Object.entries(isJsonObject(fact) ? fact : {}).flatMap(([end, value]) =>
        kinds.get(end)?.has(jsonToText(value)) === false ? [`${section} ${end} ${jsonToText(value)}`] : [],
      ),
    ),
  );
}

/** Runs that do not begin once, end more than once, or end before they begin. */
function badlyBounded(events: readonly JsonObject[]): string[] {
  const types = new Map<string, Json[]>();
  for (const { run, eventType } of events) {
    const runId = isJsonObject(run) ? jsonToText(run["runId"]) : "";
    types.set(runId, [...(types.get(runId) ?? []), eventType ?? null]);
  }
  return [...types]
    .filter(([, found]) => found[0] !== "START" || found.length > 2 || found.includes("START", 1))
    .map(([id]) => id);
}

describe("identities", () => {
  it("are UUIDs, the same for the same subject and others for others", () => {
    const check = (left: string, right: string): void => {
      expect(z.uuid().safeParse(uuidOf(left)).success).toBe(true);
      expect(uuidOf(left) === uuidOf(right)).toBe(left === right);
    };
    fc.assert(fc.property(fc.string(), fc.string(), check));
    expect(uuidOf("run_1")).toBe(uuidOf("run_1"));
  });

  it("hold nothing a qualified name may not, whatever a node is called", () => {
    const check = (text: string): void => {
      expect(escaped(text)).toMatch(/^(?:[A-Za-z0-9_~]|%[0-9A-F]{2})*$/);
    };
    fc.assert(fc.property(fc.string({ unit: "binary" }), check));
    check("\ud800 a[0].b-c'(d)*!");
  });
});
