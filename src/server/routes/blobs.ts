import { json as anyJson } from "../../contract/index.ts";
import { Refused } from "../problem.ts";
import { defineRoute, json, type Route } from "../route.ts";

export const blobRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/blobs/{hash}",
    operation: "blobs.get",
    summary: "Returns a large value to which events and states refer by hash.",
    permission: "run:read",
    replies: { 200: { description: "The value", schema: anyJson } },
    handle: async ({ services, principal, params: { hash: written = "" } }) => {
      const hash = /^[0-9a-f]{64}$/.test(written) ? `sha256:${written}` : written;
      const value = await services.store.getBlob(principal.orgId, hash);
      if (value === undefined) throw new Refused("unknown_blob", `There is no value "${hash}".`);
      // Content never changes under its digest; only the permission to see it may change.
      return json(value, 200, { "cache-control": "private, max-age=31536000, immutable" });
    },
  }),
];
