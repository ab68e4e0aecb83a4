import { z } from "zod";
import { json } from "./payload.ts";

export const FORM_TYPES = ["string", "text", "number", "integer", "boolean", "enum", "date"] as const;

/** A field a person fills in. `min` and `max` bound a number, or the length of a text. */
export const formFieldSchema = z.object({
  type: z.enum(FORM_TYPES),
  required: z.boolean(),
  label: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.union([z.string(), z.number()])).optional(),
  default: json.optional(),
  /** Set when the default contains values of the run, so that it is shown only where those may be shown. */
  isDefaultFilled: z.literal(true).optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  pattern: z.string().optional(),
});
export const formSchema = z.record(z.string(), formFieldSchema);
/** The fields of a form, by name. */
export type FormFields = z.infer<typeof formSchema>;
export type FormField = FormFields[string];

const DATE = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$";

/** A form field as a declared value, so that a person's entry is checked in the same way as an agent's output. */
export interface DeclaredField {
  readonly type: "string" | "number" | "integer" | "boolean";
  readonly required: boolean;
  readonly enum?: readonly (string | number)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

export function declaredField(field: FormField): DeclaredField {
  const { required, enum: members, min, max, pattern } = field;
  const type = typeOf(field);
  const isNumber = type === "number" || type === "integer";
  return {
    type,
    required,
    ...(members === undefined ? {} : { enum: members }),
    ...(min === undefined ? {} : isNumber ? { minimum: min } : { minLength: min }),
    ...(max === undefined ? {} : isNumber ? { maximum: max } : { maxLength: max }),
    ...(field.type === "date" ? { pattern: DATE } : pattern === undefined ? {} : { pattern }),
  };
}

function typeOf({ type, enum: members = [] }: FormField): DeclaredField["type"] {
  switch (type) {
    case "number":
    case "integer":
    case "boolean":
      return type;
    case "enum":
      return members.length > 0 && members.every((member) => typeof member === "number") ? "number" : "string";
    default:
      return "string";
  }
}
