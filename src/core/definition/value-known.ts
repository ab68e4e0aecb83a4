import { isJsonArray, isJsonObject, type Json } from "../base/index.ts";
import { ANY, BOOLEAN, closedObject, inferKnown, type Known, NUMBER, type Path, TEXT } from "../expression/index.ts";
import { isExpression, isSingleReference, type Value } from "../template/index.ts";

/** Returns the known type of a value before it is filled in. */
export function valueKnown(value: Value, know: (path: Path) => Known): Known {
  switch (value.kind) {
    case "literal":
      return literalKnown(value.value);
    case "reference":
      return know(value.path);
    case "expression":
      return inferKnown(value.expression.root, know);
    case "template": {
      const single = isSingleReference(value.template);
      if (single === undefined) return TEXT;
      return isExpression(single) ? inferKnown(single.root, know) : know(single);
    }
    case "list":
      return { kind: "list", items: ANY };
    case "object":
      return closedObject(Object.entries(value.members).map(([key, member]) => [key, valueKnown(member, know)]));
  }
}

function literalKnown(value: Json): Known {
  if (value === null) return ANY;
  if (typeof value === "string") return TEXT;
  if (typeof value === "number") return NUMBER;
  if (typeof value === "boolean") return BOOLEAN;
  if (isJsonArray(value)) return { kind: "list", items: commonKnown(value) };
  return isJsonObject(value)
    ? closedObject(Object.entries(value).map(([key, member]) => [key, literalKnown(member)]))
    : ANY;
}

/** Returns the common type of the elements if they all have the same simple type, otherwise any. */
function commonKnown(items: readonly Json[]): Known {
  const kinds = new Set(items.map((item) => literalKnown(item).kind));
  const [only] = kinds;
  if (kinds.size !== 1 || only === "object" || only === "list" || items[0] === undefined) return ANY;
  return literalKnown(items[0]);
}
