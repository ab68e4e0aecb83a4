import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../base/index.ts";
import { EVENT_CONTENT, withoutContent } from "./content.ts";
import { EVENT_PAYLOADS, EVENT_TYPES, type EventType } from "./event.ts";

/** Members that hold texts or values which are not content: ids, names, codes, statuses, digests, models. */
const STRUCTURE = new Set(
  (
    "workflow hash trigger parentRunId sourceRunId runId nodeId output startedBy standing whenFull taken block from to " +
    "failedNode as errorCode childRunId status waitingReason counted code instanceIds instanceId agentId " +
    "gatewayId provider model verdictId executionPath reroutedFrom source level cause assignTo kind artifactKind by type " +
    "missing sourceNodeId sourceOutputPath targetInputPath transform disposition gate phase field approvalId choices " +
    "digest policies who otherwise subjectDigest urgency decision byId personId finish tool server callId argsDigest " +
    "action effects id priceId completed skipped cancelled variableOverwriteOrder confirm version trust name tools enum " +
    "pattern priority schema deployments roles rules environment gateway agents voided"
  ).split(" "),
);

/** Every place of a payload that can hold a text or any value, as content names them. */
function placesIn(schema: z.ZodType, place: readonly string[] = []): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return placesIn(schema.unwrap() as z.ZodType, place);
  if (schema instanceof z.ZodObject) {
    const shape = schema.shape as Record<string, z.ZodType>;
    return Object.entries(shape).flatMap(([name, member]) => placesIn(member, [...place, name]));
  }
  if (schema instanceof z.ZodArray) return placesIn(schema.element as z.ZodType, [...place, "*"]);
  if (schema instanceof z.ZodRecord) return placesIn(schema.valueType as z.ZodType, [...place, "*"]);
  if (schema instanceof z.ZodNumber || schema instanceof z.ZodBoolean || schema instanceof z.ZodLiteral) return [];
  return [place.join(".")];
}

const isCovered = (type: EventType, place: string): boolean => {
  const parts = place.split(".");
  const own = Object.keys(EVENT_CONTENT[type]);
  const isAbove = own.some((one) => place === one || place.startsWith(`${one}.`));
  const name = parts.findLast((part) => part !== "*") ?? "";
  return (
    isAbove ||
    STRUCTURE.has(name) ||
    (type === "run.status.changed" && place === "reason") ||
    place.startsWith("placement.")
  );
};

describe("the content of events", () => {
  it("is all that is not structure: a new member of a payload is one or the other", () => {
    const unknown = EVENT_TYPES.flatMap((type) =>
      placesIn(EVENT_PAYLOADS[type])
        .filter((place) => !isCovered(type, place))
        .map((place) => `${type}: ${place}`),
    );
    // `reason` of a skipped node is one of a few words.
    expect(unknown).toEqual(["node.skipped: reason"]);
  });

  it("is replaced where it stands, and the payload is still one of its type", () => {
    const payload: JsonObject = {
      nodeId: "a",
      attempt: 1,
      envelope: { kind: "text", artifactKind: "text", output: "secret", data: { deep: ["secret"] }, metadata: {} },
      outputs: { "": "secret", list: ["secret"], none: null },
      durationMs: 1,
      inputTokens: 0,
      outputTokens: 0,
      costMicros: 0,
    };
    const erased = withoutContent(payload, EVENT_CONTENT["node.completed"], "[erased]");
    expect(erased).toEqual({
      ...payload,
      envelope: { kind: "text", artifactKind: "text", output: "[erased]", data: "[erased]", metadata: {} },
      outputs: { "": "[erased]", list: "[erased]", none: "[erased]" },
    });
    expect(EVENT_PAYLOADS["node.completed"].safeParse(erased).success).toBe(true);
    expect(withoutContent({ items: [1, { a: 2 }] }, EVENT_CONTENT["node.expanded"], "x")).toEqual({
      items: ["x", "x"],
    });
    expect(withoutContent({ reason: "" }, EVENT_CONTENT["run.cancelled"], "x")).toEqual({ reason: "" });
  });
});
