import type { ReactNode } from "react";
import type { Json, TreePath } from "../../core/base/index.ts";
import type { FieldEdit } from "../../core/edit/index.ts";

/** A value that can be referenced. */
export interface ReferenceOffer {
  /** Path as written in an expression, or between `${` and `}`. */
  readonly path: string;
  readonly detail: string;
}

export interface FieldProblem {
  readonly path: TreePath;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Facts about keys that their schema does not contain. */
export interface FieldWords {
  /** Title of a key. Undefined to use the key itself as words. */
  readonly titleOf: (key: string) => string | undefined;
  /** Hint for a key. Undefined to use the description of the schema. */
  readonly hintOf: (key: string) => string | undefined;
  /** Usual number of lines of the key's text. */
  readonly rowsOf: (key: string) => number;
  /** Noun for an entry of the key's map. */
  readonly nounOf: (key: string) => string;
  readonly isExpression: (key: string) => boolean;
  readonly isCode: (key: string) => boolean;
  /** Whether the text of the key may contain references to values. */
  readonly isFilled: (key: string) => boolean;
  /** Whether the value is hidden while it is typed. */
  readonly isSecret: (key: string) => boolean;
  /** Whether the field can be emptied but not removed. */
  readonly isDefining: (key: string) => boolean;
}

/** Data that all fields of a form share. */
export interface FormContext {
  readonly edit: (edit: FieldEdit, isTyped?: boolean) => void;
  readonly problems: readonly FieldProblem[];
  readonly offers: readonly ReferenceOffer[];
  /** Known names that can be chosen for a key. */
  readonly namesFor: (key: string) => readonly string[];
  readonly words: FieldWords;
  readonly isReadOnly: boolean;
  /** Content shown below a field while it is filled in. */
  readonly below?: (path: TreePath, value: Json | undefined) => ReactNode;
}
