import { registeredSchema, rotateBody } from "../../contract/index.ts";
import { secretOf } from "../../registry/index.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { Refused } from "../problem.ts";
import { defineRoute, type Route } from "../route.ts";
import { requireEntry, saveEntry } from "./registries.ts";

export const secretRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/secrets/{id}/rotate",
    operation: "secrets.rotate",
    summary: "Replaces the value of a secret. Its scopes do not change. All later uses get the new value.",
    permission: "secret:write",
    body: { schema: rotateBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false },
    replies: { 200: { description: "The changed secret, without its value", schema: registeredSchema } },
    handle: async (call) => {
      const { name, scopes, from } = secretOf(await requireEntry(call, "Secret"));
      if (from !== null) {
        const place = Object.keys(from).join(", ");
        throw new Refused("secret_elsewhere", `The value of "${name}" is kept elsewhere (${place}); replace it there.`);
      }
      return saveEntry({ ...call, body: { scopes, value: call.body.value } }, "Secret");
    },
  }),
];
