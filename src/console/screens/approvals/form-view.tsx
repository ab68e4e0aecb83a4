import type { JSX } from "react";
import { Field } from "../../parts/field.tsx";
import { Select } from "../../parts/select.tsx";
import { type FormField, type FormFields, type FormTexts, hintOf } from "./form-values.ts";

interface FormProps {
  readonly fields: FormFields;
  readonly texts: FormTexts;
  /** The problems by field. They are shown only for fields that were touched. */
  readonly problems: ReadonlyMap<string, string>;
  readonly onChange: (name: string, text: string) => void;
}

/** The form of a gate. The entered values become the gate's outputs. */
export function FormView({ fields, texts, problems, onChange }: FormProps): JSX.Element {
  return (
    <fieldset className="approval-form">
      <legend>What you enter becomes the result</legend>
      {Object.entries(fields).map(([name, field]) => (
        <Field
          key={name}
          label={field.label ?? name}
          hint={hintOf(field)}
          problem={problems.get(name) ?? null}
          isRequired={field.required}
        >
          <Input field={field} text={texts[name] ?? ""} onChange={(text) => onChange(name, text)} />
        </Field>
      ))}
    </fieldset>
  );
}

interface InputProps {
  readonly field: FormField;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly id?: string;
}

function Input({ field, text, onChange, ...rest }: InputProps): JSX.Element {
  const choices = field.type === "boolean" ? BOOLEANS : (field.enum?.map(plain) ?? null);
  if (choices !== null) {
    return (
      <Select
        {...rest}
        value={text}
        options={[["", "Choose …"], ...choices.map(({ value, label }) => [value, label] as const)]}
        onChange={onChange}
      />
    );
  }
  if (field.type === "text") {
    return <textarea {...rest} rows={4} value={text} onChange={(event) => onChange(event.target.value)} />;
  }
  return (
    <input
      {...rest}
      type={field.type === "date" ? "date" : "text"}
      inputMode={field.type === "integer" ? "numeric" : field.type === "number" ? "decimal" : "text"}
      value={text}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

const BOOLEANS = [
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];

function plain(value: string | number): { readonly value: string; readonly label: string } {
  return { value: String(value), label: String(value) };
}
