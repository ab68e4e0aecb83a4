import { LIMITS } from "../base/index.ts";
import type { FormFields, ShownKind } from "../event/index.ts";
import type { StepTemplate } from "../template/index.ts";

/** `role:x`, `team:x`, `user:y` or `key:z`, and how long they have before the next in the chain is asked. */
export interface Approver {
  readonly who: string;
  readonly withinMs: number | null;
}

export const OTHERWISE = ["reject", "approve", "skip", "abort"] as const;
export type Otherwise = (typeof OTHERWISE)[number];

/** Something the author shows to the person who answers; a text that is one reference keeps its value. */
export type ShowItem =
  | {
      readonly kind: Exclude<ShownKind, "diff">;
      /** Null: the reference as it is written. */
      readonly label: string | null;
      readonly value: StepTemplate;
    }
  | {
      readonly kind: "diff";
      readonly label: string | null;
      readonly before: StepTemplate;
      readonly after: StepTemplate;
    };

/** Who answers, by when, what they see and enter, and what happens without an answer. */
/** A text of a field of a form. */
export interface FormFill {
  readonly field: string;
  readonly key: FormTextKey;
  readonly template: StepTemplate;
}

export const FORM_TEXT_KEYS = ["default", "label", "description"] as const;
export type FormTextKey = (typeof FORM_TEXT_KEYS)[number];

export interface ApprovalRule {
  readonly approvers: readonly Approver[];
  /** Null: the approval expires. */
  readonly otherwise: Otherwise | null;
  readonly expiresMs: number;
  readonly isSeparate: boolean;
  /** How many different people have to approve. */
  readonly quorum: number;
  /** Empty: all bound inputs are shown. */
  readonly show: readonly ShowItem[];
  /** What the person enters, which becomes the outputs of a gate; null: nothing. */
  readonly form: FormFields | null;
  /** Texts of the form with references in them, which are filled when it is asked; absent: none. */
  readonly fills?: readonly FormFill[];
  /** `sign_in`: a link in a message is not enough to answer. */
  readonly confirm: "sign_in" | null;
}

/** Anyone who may approve, within the ordinary time. */
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
