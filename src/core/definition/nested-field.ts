/** `items` and `properties`: declarations of the values inside a list or an object. */
import type { TreePath } from "../base/index.ts";
import { CONSTRAINTS, checkFitting, constraintsOf, fieldType, inferFromEnum } from "./constraint-shape.ts";
import type { FieldType, Property, ValueField } from "./field.ts";
import { mandatory, optional, record } from "./record.ts";
import type { Report } from "./report.ts";
import { anyText, byKind, flag, mapOf, refine, type Shape } from "./shape.ts";

const FIELD = { description: optional(anyText, "Description of the value."), ...CONSTRAINTS };
const ELEMENT = { type: mandatory(fieldType, "Type of all elements."), ...FIELD };
const PROPERTY = { type: optional(fieldType, "Type of the value. Default: any type."), ...FIELD };

interface Nested {
  readonly items?: ValueField | undefined;
  readonly properties?: Readonly<Record<string, Property>> | undefined;
}

/** Creates a shape at its first use, because such shapes contain each other. */
function late<T>(make: () => Shape<T>, schema: Shape<T>["schema"]): Shape<T> {
  let made: Shape<T> | undefined;
  return {
    read(value, path, report) {
      made ??= make();
      return made.read(value, path, report);
    },
    schema,
  };
}

/** `isRequired` is the default for properties. It equals that of the surrounding fields. */
function nestedFields(isRequired: boolean) {
  // Deeper levels are read in the same way. The schema shows only this level, because a recursive one would add no information.
  const element = record(ELEMENT, { title: "items" }).schema;
  const property = record({ ...PROPERTY, required: flagField(isRequired) }, { title: "a property" }).schema;
  return {
    items: optional(
      late(() => itemsShape(isRequired), element),
      "Type and limits of the elements of an array.",
    ),
    properties: optional(
      late(() => mapOf(propertyShape(isRequired)), {
        type: "object",
        additionalProperties: { anyOf: [{ type: "string" }, property] },
      }),
      "Members of an object: name → type and limits.",
    ),
  };
}

function flagField(isRequired: boolean) {
  return optional(flag, "Whether the value is required.", { default: isRequired });
}

export const NESTED_IN_OUTPUTS = nestedFields(true);
export const NESTED_IN_ARGS = nestedFields(false);

function itemsShape(isRequired: boolean): Shape<ValueField> {
  const fields = { ...ELEMENT, ...(isRequired ? NESTED_IN_OUTPUTS : NESTED_IN_ARGS) };
  return byKind<ValueField>("a type or a map", {
    text: refine(fieldType, (type) => ({ type })),
    map: refine(record(fields, { title: "items" }), valueField),
  });
}

function propertyShape(isRequired: boolean): Shape<Property> {
  const fields = {
    ...PROPERTY,
    required: flagField(isRequired),
    ...(isRequired ? NESTED_IN_OUTPUTS : NESTED_IN_ARGS),
  };
  return byKind<Property>("a type or a map", {
    text: refine(fieldType, (type) => ({ type, required: isRequired })),
    map: refine(record(fields, { title: "a property" }), (raw, path, report) => ({
      ...valueField(raw, path, report),
      required: raw.required ?? isRequired,
    })),
  });
}

type RawField = Parameters<typeof constraintsOf>[0] &
  Nested & { readonly type?: FieldType | undefined; readonly description?: string | undefined };

function valueField(raw: RawField, path: TreePath, report: Report): ValueField {
  const type = raw.type ?? inferFromEnum(raw.enum);
  return {
    ...(type === undefined ? {} : { type }),
    ...(raw.description === undefined ? {} : { description: raw.description }),
    ...constraintsOf(raw, type, path, report),
    ...nestedOf(raw, type, path, report),
  };
}

/** Returns the nested declarations that fit the type. */
export function nestedOf(
  { items, properties }: Nested,
  type: FieldType | undefined,
  path: TreePath,
  report: Report,
): Pick<ValueField, "items" | "properties"> {
  if (items !== undefined) checkFitting("items", ["array"], type, path, report);
  if (properties !== undefined) checkFitting("properties", ["object"], type, path, report);
  return { ...(items === undefined ? {} : { items }), ...(properties === undefined ? {} : { properties }) };
}
