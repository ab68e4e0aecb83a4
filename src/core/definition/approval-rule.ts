import { LIMITS } from "../base/index.ts";
import type { FormFields, ShownKind } from "../event/index.ts";
import type { StepTemplate } from "../template/index.ts";

/** An approver (`role:x`, `team:x`, `user:y` or `key:z`), and the time until the next approver in the chain is asked. */
export interface Approver {
  readonly who: string;
  readonly withinMs: number | null;
}

export const OTHERWISE = ["reject", "approve", "skip", "abort"] as const;
export type Otherwise = (typeof OTHERWISE)[number];

/** A value that the author shows to the approver. A text that consists of one reference keeps the type of the value. */
export type ShowItem =
  | {
      readonly kind: Exclude<ShownKind, "diff">;
      /** Null when the label is the reference as written. */
      readonly label: string | null;
      readonly value: StepTemplate;
    }
  | {
      readonly kind: "diff";
      readonly label: string | null;
      readonly before: StepTemplate;
      readonly after: StepTemplate;
    };

/** A text of a form field that contains references. It is filled in when the approval opens. */
export interface FormFill {
  readonly field: string;
  readonly key: FormTextKey;
  readonly template: StepTemplate;
}

export const FORM_TEXT_KEYS = ["default", "label", "description"] as const;
export type FormTextKey = (typeof FORM_TEXT_KEYS)[number];

export interface ApprovalRule {
  readonly approvers: readonly Approver[];
  /** The decision when no answer is given in time. Null when the approval expires. */
  readonly otherwise: Otherwise | null;
  readonly expiresMs: number;
  readonly isSeparate: boolean;
  /** Number of different people who have to approve. */
  readonly quorum: number;
  /** Values to show. Empty when all bound inputs are shown. */
  readonly show: readonly ShowItem[];
  /** The form that the person fills in. Its values become the outputs of a gate. Null when there is no form. */
  readonly form: FormFields | null;
  /** Texts of the form with references, filled in when the approval opens. Absent when there are none. */
  readonly fills?: readonly FormFill[];
  /** `sign_in` requires the approver to sign in: a link in a message is not enough to answer. */
  readonly confirm: "sign_in" | null;
}

/** The default rule: any person who may approve, within the default time. */
export const ANYONE: ApprovalRule = {
  approvers: [],
  otherwise: null,
  expiresMs: LIMITS.approvalExpiresMsDefault,
  isSeparate: false,
  quorum: 1,
  show: [],
  form: null,
  confirm: null,
};
