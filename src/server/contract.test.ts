import { describe, expect, it } from "vitest";
import {
  approveAnswerSchema,
  COLLECTIONS,
  deliveryStateSchema,
  gatewaySchema,
  gatewayStatusSchema,
  governanceModeSchema,
  slotStateSchema,
  usageBucketSchema,
  usageGroupSchema,
} from "../contract/index.ts";
import { compareCodeUnits } from "../core/base/index.ts";
import { OUTBOUND_REFUSED } from "../outbound/index.ts";
import { MANIFEST_KINDS } from "../registry/index.ts";
import { APPROVE_ANSWERS, GOVERNANCE_MODES } from "../simulation/index.ts";
import { DELIVERY_STATES, GATEWAY_STATUSES, SLOT_STATES, USAGE_BUCKETS, USAGE_GROUPS } from "../store/index.ts";

/** The contract imports the core only: what it shares with other rooms is compared here. */
describe("the closed lists of the contract are those of the rooms behind the API", () => {
  it.each([
    ["status of a gateway", gatewayStatusSchema, GATEWAY_STATUSES],
    ["state of a slot", slotStateSchema, SLOT_STATES],
    ["state of a delivery", deliveryStateSchema, DELIVERY_STATES],
    ["bucket of usage", usageBucketSchema, USAGE_BUCKETS],
    ["group of usage", usageGroupSchema, USAGE_GROUPS],
    ["governance of a simulation", governanceModeSchema, GOVERNANCE_MODES],
    ["approvals of a simulation", approveAnswerSchema, APPROVE_ANSWERS],
  ])("%s", (_what, schema, listed) => {
    expect(schema.options).toEqual([...listed]);
  });

  it("reason of an offline gateway", () => {
    expect(gatewaySchema.shape.reason.unwrap().options).toEqual([OUTBOUND_REFUSED]);
  });

  it("collections of what is registered", () => {
    const { Gateway: _gateway, Workflow: _workflow, ...plain } = MANIFEST_KINDS;
    const collections = Object.values(plain).map(({ collection }) => collection);
    expect(COLLECTIONS.toSorted(compareCodeUnits)).toEqual(collections.sort(compareCodeUnits));
  });
});
