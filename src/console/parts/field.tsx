import { cloneElement, isValidElement, type JSX, type ReactElement, useId } from "react";
import "./field.css";

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Problem with the entered value. */
  readonly problem?: string | null | undefined;
  readonly isRequired?: boolean;
  /** One input, select or textarea. */
  readonly children: ReactElement<{ id?: string; "aria-describedby"?: string; "aria-invalid"?: boolean }>;
}

/** Connects a label, an input, a hint and a problem for screen readers. */
export function Field({ label, hint, problem = null, isRequired = false, children }: FieldProps): JSX.Element {
  const id = useId();
  const describedBy = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(problem === null ? [] : [`${id}-problem`]),
  ].join(" ");
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {isRequired && <span className="field-required"> required</span>}
      </label>
      {isValidElement(children) &&
        cloneElement(children, {
          id,
          ...(describedBy === "" ? {} : { "aria-describedby": describedBy }),
          ...(problem === null ? {} : { "aria-invalid": true }),
        })}
      {hint !== undefined && (
        <div id={`${id}-hint`} className="field-hint">
          {hint}
        </div>
      )}
      {problem !== null && (
        <div id={`${id}-problem`} className="field-problem">
          {problem}
        </div>
      )}
    </div>
  );
}
