import { validateBody, type Validation, validationSchema } from "../../contract/index.ts";
import type { Problem } from "../../core/base/index.ts";
import { definitionHashOf } from "../../core/definition/index.ts";
import { checkSource } from "../../core/plan/index.ts";
import { catalogAround, knownTools, lookUpIn, surroundingsOf } from "../../registry/index.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { defineRoute, json, type Route } from "../route.ts";
import { planOnWire } from "../wire.ts";

export const validateRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/validate",
    operation: "validate",
    summary: "Checks a definition and reports all problems with line, column and hint. Nothing is stored.",
    permission: "workflow:read",
    body: {
      schema: validateBody,
      bytesMax: BODY_BYTES_MAX.definition,
      types: [JSON_TYPE],
      isOptional: false,
    },
    replies: {
      200: { description: "The problems, and the plan when there are none", schema: validationSchema },
    },
    handle: async ({ services, principal, body: { source, format } }) => {
      const around = await surroundingsOf(source, lookUpIn(services.store, principal.orgId));
      const tools = await knownTools(services.store, principal.orgId);
      const checked = checkSource(source, catalogAround({ ...around, tools }));
      const problems = [...formatProblems(checked.definition?.format, format), ...checked.problems];
      const { plan, warnings } = checked;
      const hash = definitionHashOf(source);
      const found = hash === null ? {} : { definitionHash: hash };
      const shown = plan === null || problems.length > 0 ? {} : { ...found, plan: planOnWire(plan) };
      const validation: Validation = { ok: problems.length === 0, problems, warnings, ...shown };
      return json(validation);
    },
  }),
];

function formatProblems(found: string | undefined, asked: string | undefined): readonly Problem[] {
  if (asked === undefined || found === undefined || found === asked) return [];
  const message = `The definition is ${found}, but ${asked} was asked for.`;
  const hint = `Write format: ${asked} in the definition, or ask for ${found}.`;
  return [{ code: "bad_enum", message, path: "format", line: 1, column: 1, hint }];
}
