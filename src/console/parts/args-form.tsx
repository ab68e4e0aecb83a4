import { type JSX, useMemo, useState } from "react";
import type { JsonObject } from "../../core/base/index.ts";
import type { ArgField } from "../../core/definition/index.ts";
import { type ArgFields, type ArgTexts, hintOf, readArgs, textOf } from "./arg-values.ts";
import { Field } from "./field.tsx";
import { Select } from "./select.tsx";
import { FileInput, type SendFile } from "./file-input.tsx";

export interface ArgsFormProps {
  /** Declared args, as in `plan.args`. */
  readonly fields: ArgFields;
  /** Initial values, for example from a run that is started again. */
  readonly initial?: JsonObject;
  /** Called with the args, or with null while one is invalid. */
  readonly onChange: (args: JsonObject | null) => void;
  /** Uploads a file chosen for an arg. */
  readonly sendFile: SendFile;
}

/** Form for the declared args of a workflow, with JSON as an alternative. */
export function ArgsForm({ fields, initial = {}, onChange, sendFile }: ArgsFormProps): JSX.Element {
  const [texts, setTexts] = useState<ArgTexts>(() =>
    Object.fromEntries(Object.keys(fields).map((name) => [name, textOf(initial[name])])),
  );
  const [raw, setRaw] = useState<string | null>(null);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const read = useMemo(() => readArgs(fields, texts), [fields, texts]);
  const change = (name: string, text: string): void => {
    const next = { ...texts, [name]: text };
    setTexts(next);
    setTouched(new Set([...touched, name]));
    const { args, problems } = readArgs(fields, next);
    onChange(problems.size === 0 ? args : null);
  };
  const changeRaw = (text: string): void => {
    setRaw(text);
    onChange(objectOf(text));
  };
  const names = Object.keys(fields);
  return (
    <div className="stack">
      <label className="row">
        <input
          type="checkbox"
          checked={raw !== null}
          onChange={(event) => {
            setRaw(event.target.checked ? JSON.stringify(read.args, null, 2) : null);
            onChange(read.problems.size === 0 ? read.args : null);
          }}
        />
        Write the args as JSON
      </label>
      {raw !== null ? (
        <Field label="Args as JSON" problem={objectOf(raw) === null ? "This must be an object in JSON." : null}>
          <textarea
            className="mono"
            rows={8}
            spellCheck={false}
            value={raw}
            onChange={(event) => changeRaw(event.target.value)}
          />
        </Field>
      ) : (
        names.map((name) => (
          <ArgInput
            key={name}
            name={name}
            field={fields[name] ?? { required: false }}
            text={texts[name] ?? ""}
            problem={touched.has(name) ? (read.problems.get(name) ?? null) : null}
            onChange={(text) => change(name, text)}
            sendFile={sendFile}
          />
        ))
      )}
      {names.length === 0 && raw === null && <p className="muted">This workflow takes no args.</p>}
    </div>
  );
}

interface ArgInputProps {
  readonly name: string;
  readonly field: ArgField;
  readonly text: string;
  readonly problem: string | null;
  readonly onChange: (text: string) => void;
  readonly sendFile: SendFile;
}

function ArgInput({ name, field, text, problem, onChange, sendFile }: ArgInputProps): JSX.Element {
  const choices = field.type === "boolean" ? [true, false] : field.enum;
  const isLong = field.type === "object" || field.type === "array";
  const isRequired = field.required && field.default === undefined;
  return (
    <Field label={name} hint={hintOf(field)} problem={problem} isRequired={isRequired}>
      {field.type === "file" ? (
        <FileInput text={text} onChange={onChange} send={sendFile} />
      ) : choices !== undefined ? (
        <Select
          value={text}
          options={[["", isRequired ? "Choose …" : "Default"], ...choices.map(String)]}
          onChange={onChange}
        />
      ) : isLong ? (
        <textarea
          className="mono"
          rows={3}
          spellCheck={false}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <input
          value={text}
          inputMode={field.type === "integer" ? "numeric" : field.type === "number" ? "decimal" : "text"}
          placeholder={textOf(field.default)}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

function objectOf(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}
