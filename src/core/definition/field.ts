import type { Json } from "../base/index.ts";

/** Types of a declared input, output or arg of `.lobsterX`. */
export const FIELD_TYPES = ["string", "number", "integer", "boolean", "object", "array", "file"] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export interface Constraints {
  readonly enum?: readonly (string | number | boolean)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

/** The type of a value, and of the values inside it. */
export interface ValueField extends Constraints {
  /** Absent when any type is allowed. */
  readonly type?: FieldType;
  readonly description?: string;
  /** The declaration of an array's elements. */
  readonly items?: ValueField;
  /** The declarations of an object's keys. Other keys are not checked. */
  readonly properties?: Readonly<Record<string, Property>>;
}

export interface Property extends ValueField {
  readonly required: boolean;
}

export interface OutputField extends Property {
  readonly type: FieldType;
}

/** A declared arg. It has no type when the author wrote only a default of null. */
export interface ArgField extends Property {
  readonly default?: Json;
}

/** Types of a field in a lens contract. */
export const LENS_FIELD_TYPES = ["string", "number", "integer", "boolean", "url", "json", "array", "any"] as const;
export type LensFieldType = (typeof LENS_FIELD_TYPES)[number];

export interface LensField {
  readonly type: LensFieldType;
  readonly required: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly itemType?: LensFieldType;
  readonly enum?: readonly string[];
}

export interface InputContract {
  readonly kind: string;
  readonly fields: Readonly<Record<string, LensField>>;
  /** Labels declared with `required: false`. When they are not set, they render as ''. */
  readonly optional?: readonly string[];
  readonly requireAnyOf: readonly (readonly string[])[];
  readonly isStrict: boolean;
}

export interface OutputContract {
  readonly kind: string;
  readonly artifactKind: string;
  readonly schema: Readonly<Record<string, LensField>>;
  readonly tokens: readonly string[];
}

export const CONTRACT_REASONS = [
  "missing_required",
  "type_mismatch",
  "below_min",
  "above_max",
  "too_short",
  "too_long",
  "pattern_mismatch",
  "enum_mismatch",
  "unknown_field",
  "invalid_envelope",
  "schema_violation",
] as const;

/** A violation of a contract by a value. */
export interface ContractError {
  readonly field: string;
  readonly reason: (typeof CONTRACT_REASONS)[number];
  readonly details?: string;
}
