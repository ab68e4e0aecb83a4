import { z } from "zod";
import type { SentProblem } from "../contract/index.ts";
import type { Json } from "../core/base/index.ts";
import { type ManifestKind, type SpecProblem, specSchema } from "../registry/index.ts";
import type { Refused } from "./problem.ts";
import { invalidRequest } from "./shape.ts";

/** Schema of a body that is a spec. It only describes: the reader of manifests checks the spec and reports its problems. */
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
