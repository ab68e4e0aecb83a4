import { type Erasure, erasureBody, erasureSchema } from "../../contract/index.ts";
import { SubjectRefused } from "../../history/index.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { Refused } from "../problem.ts";
import { defineRoute, json, type Route } from "../route.ts";

/** Copies that were given to other systems before and cannot be erased. */
const OUT_OF_REACH = [
  "telemetry that was exported to a collector",
  "messages that were delivered by webhooks and channels",
  "audit exports, packets, recordings of cases and backups that were taken",
];

export const erasureRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/erasures",
    operation: "erasures.create",
    summary:
      "Erases personal content of the runs that match a condition, and of everything that belongs to them: args, outputs, prompts, " +
      "transcripts, files, subjects of approvals. Tombstones with hashes stay, and the audit can still be verified.",
    permission: "run:delete",
    body: { schema: erasureBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false },
    replies: {
      200: { description: "The erased content, and the content that could not be erased", schema: erasureSchema },
    },
    handle: async ({ services, principal: { orgId, keyId }, body: { subject, dryRun = false } }) => {
      try {
        const report = await services.history.eraser.erase(orgId, { subject, isDryRun: dryRun, by: keyId });
        return json({ dryRun, ...report, outOfReach: OUT_OF_REACH } satisfies Erasure);
      } catch (thrown) {
        if (!(thrown instanceof SubjectRefused)) throw thrown;
        const { code, message, hint } = thrown;
        throw new Refused("invalid_request", `The subject cannot be used: ${message}`, {
          problems: [{ code, message, path: "subject", hint }],
        });
      }
    },
  }),
];
