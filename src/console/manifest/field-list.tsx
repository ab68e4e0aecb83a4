import { type JSX, memo } from "react";
import { jsonToText } from "../../core/base/index.ts";
import { Panel } from "../parts/panel.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import type { SpecField } from "./spec-fields.ts";

interface FieldListProps {
  /** Title of the kind in the middle of a sentence, such as `a policy`. */
  readonly title: string;
  /** Null while the fields are loading. */
  readonly fields: readonly SpecField[] | null;
  /** Fields that the text already contains. */
  readonly written: ReadonlySet<string>;
  /** Adds a field to the text. Undefined when the text is read-only. */
  readonly onInsert: ((field: SpecField) => void) | undefined;
}

/** Lists every field a spec may have. Each can be inserted into the text. */
export const FieldList = memo(function FieldList({ title, fields, written, onInsert }: FieldListProps): JSX.Element {
  return (
    <Panel title={`Fields of ${title}`}>
      {fields === null ? (
        <Skeleton lines={6} />
      ) : (
        <div className="manifest-fields-box" tabIndex={0} role="group" aria-label="Fields">
          <p className="muted manifest-fields-note">
            {onInsert === undefined ? "The fields of its spec." : "Choose one to write it."}{" "}
            {fields.some(({ isRequired }) => isRequired) && (
              <>
                A <b>*</b> must be there.
              </>
            )}
          </p>
          <ul className="manifest-fields">
            {fields.map((field) => (
              <li key={field.name}>
                <FieldHead field={field} isWritten={written.has(field.name)} onInsert={onInsert} />
                <FieldFacts field={field} />
                {field.members.length > 0 && (
                  <ul className="manifest-fields" aria-label={`In ${field.name}`}>
                    {field.members.map((member) => (
                      <li key={member.name}>
                        <code>{member.name}</code>
                        <Star isRequired={member.isRequired} /> <FieldFacts field={member} />
                      </li>
                    ))}
                  </ul>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
    </Panel>
  );
});

interface FieldHeadProps {
  readonly field: SpecField;
  readonly isWritten: boolean;
  readonly onInsert: FieldListProps["onInsert"];
}

function FieldHead({ field, isWritten, onInsert }: FieldHeadProps): JSX.Element {
  const { name, isRequired } = field;
  if (onInsert === undefined) {
    return (
      <>
        <code>{name}</code>
        <Star isRequired={isRequired} />{" "}
      </>
    );
  }
  return (
    <>
      <button
        type="button"
        className="manifest-field-name"
        data-written={isWritten}
        title={isWritten ? `Go to ${name}` : `Write ${name}`}
        onClick={() => onInsert(field)}
      >
        <code>{name}</code>
      </button>
      <Star isRequired={isRequired} />{" "}
    </>
  );
}

function Star({ isRequired }: { readonly isRequired: boolean }): JSX.Element | null {
  if (!isRequired) return null;
  return (
    <b className="text-bad" title="Required">
      *<span className="hidden-text"> required</span>
    </b>
  );
}

function FieldFacts({ field }: { readonly field: SpecField }): JSX.Element {
  const { type, choices, limits, fallback, help } = field;
  return (
    <span className="manifest-field-facts">
      <span className="muted">
        {type}
        {choices.length > 0 && <> {choices.join(", ")}</>}
        {limits !== "" && <>, {limits}</>}
        {fallback !== undefined && (
          <>
            , default: <code>{jsonToText(fallback)}</code>
          </>
        )}
      </span>
      {help !== "" && <span>{help}</span>}
    </span>
  );
}
