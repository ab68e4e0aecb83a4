import { z } from "zod";
import type { SentProblem } from "../contract/index.ts";
import type { Json } from "../core/base/index.ts";
import { type ManifestKind, type SpecProblem, specSchema } from "../registry/index.ts";
import type { Refused } from "./problem.ts";
import { invalidRequest } from "./shape.ts";

/** A body that is a spec: the reader of manifests checks it and words what is wrong; here it is only described. */
export function sentSpec(kind: ManifestKind): z.ZodType<Json> {
  const { $schema: _dialect, ...described } = z.toJSONSchema(specSchema(kind), { io: "input", unrepresentable: "any" });
  return z.custom<Json>().meta(described);
}

export function invalidSpec(problems: readonly SpecProblem[]): Refused {
  return invalidRequest(
    problems.map(({ code, message, path, hint }): SentProblem => {
      return { code, message, path, ...(hint === undefined ? {} : { hint }) };
    }),
  );
}
