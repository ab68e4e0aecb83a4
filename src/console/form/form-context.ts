import type { ReactNode } from "react";
import type { Json, TreePath } from "../../core/base/index.ts";
import type { FieldEdit } from "../../core/edit/index.ts";

/** A value that may be referred to. */
export interface ReferenceOffer {
  /** As it is written in an expression, or between `${` and `}`. */
  readonly path: string;
  readonly detail: string;
}

export interface FieldProblem {
  readonly path: TreePath;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** What is known of keys besides their schema. */
export interface FieldWords {
  /** Undefined: the key itself, in words. */
  readonly titleOf: (key: string) => string | undefined;
  /** Undefined: what the schema says. */
  readonly hintOf: (key: string) => string | undefined;
  /** Lines its text usually has. */
  readonly rowsOf: (key: string) => number;
  /** What an entry of its map is called. */
  readonly nounOf: (key: string) => string;
  readonly isExpression: (key: string) => boolean;
  readonly isCode: (key: string) => boolean;
  /** Values can be put into its text. */
  readonly isFilled: (key: string) => boolean;
  /** Written without being shown. */
  readonly isSecret: (key: string) => boolean;
  /** Emptied, but not taken away. */
  readonly isDefining: (key: string) => boolean;
}

/** What all fields of a form share. */
export interface FormContext {
  readonly edit: (edit: FieldEdit, isTyped?: boolean) => void;
  readonly problems: readonly FieldProblem[];
  readonly offers: readonly ReferenceOffer[];
  /** What may be chosen for a key, as far as it is known. */
  readonly namesFor: (key: string) => readonly string[];
  readonly words: FieldWords;
  readonly isReadOnly: boolean;
  /** What is shown below a field while it is filled in. */
  readonly below?: (path: TreePath, value: Json | undefined) => ReactNode;
}
