import { type JSX, useState } from "react";
import { isJsonArray, isJsonObject, type Json, jsonToText } from "../../core/base/index.ts";
import { printYaml, readSource } from "../../core/text/index.ts";
import { Button } from "../parts/button.tsx";
import { Select } from "../parts/select.tsx";
import type { ReferenceOffer } from "./form-context.ts";
import { readTyped } from "./control.ts";
import { ReferenceText } from "./reference-text.tsx";
import { useTyped } from "./use-typed.ts";

export interface ControlProps {
  readonly id?: string;
  readonly label: string;
  readonly value: Json | undefined;
  /** Called with the new value. Undefined removes the field. */
  readonly onChange: (value: Json | undefined, isTyped?: boolean) => void;
  readonly disabled?: boolean;
  readonly "aria-describedby"?: string;
  readonly "aria-invalid"?: boolean;
}

/** Input for a number, a time such as `5m`, or a line of text. */
export function LineControl({
  value,
  onChange,
  label,
  isPlain = false,
  ...rest
}: ControlProps & { readonly type?: "password"; readonly isPlain?: boolean }): JSX.Element {
  const typed = useTyped(value === undefined ? "" : jsonToText(value), (text) =>
    onChange(text.trim() === "" ? undefined : isPlain ? text : readTyped(text), true),
  );
  return (
    <input
      {...rest}
      name={label}
      autoComplete="off"
      value={typed.text}
      onChange={(event) => typed.type(event.target.value)}
      onBlur={typed.flush}
    />
  );
}

interface ListControlProps extends ControlProps {
  /** Values to choose from. Entries are typed when there are none. */
  readonly options: readonly string[];
  /** Whether digits remain a text. */
  readonly isPlain: boolean;
}

/** Input for a list of texts or numbers, each with a button that removes it. */
export function ListControl({
  id,
  label,
  value,
  onChange,
  options,
  isPlain,
  disabled = false,
  ...rest
}: ListControlProps): JSX.Element {
  const items = isJsonArray(value) ? value : [];
  const entries = items.map((item) => jsonToText(item));
  const [text, setText] = useState("");
  const add = (entry: string): void => {
    setText("");
    const word = entry.trim();
    if (word !== "" && !entries.includes(word)) onChange([...items, isPlain ? word : readTyped(word)]);
  };
  const free = options.filter((option) => !entries.includes(option));
  return (
    <div className="form-chips">
      {entries.map((entry, at) => (
        <span key={entry} className="form-chip">
          <code>{entry}</code>
          <Button
            kind="quiet"
            size="small"
            icon="cross"
            label={`Remove ${entry}`}
            disabled={disabled}
            onClick={() => {
              const left = items.filter((_, index) => index !== at);
              onChange(left.length === 0 ? undefined : left);
            }}
          />
        </span>
      ))}
      {options.length > 0 ? (
        free.length > 0 && (
          <Select
            {...rest}
            {...(id === undefined ? {} : { id })}
            aria-label={`Add to ${label}`}
            value=""
            options={[["", "Add …"], ...free]}
            disabled={disabled}
            onChange={add}
          />
        )
      ) : (
        <input
          {...rest}
          id={id}
          value={text}
          placeholder="Add …"
          disabled={disabled}
          onChange={(event) => setText(event.target.value)}
          onBlur={() => add(text)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            add(text);
          }}
        />
      )}
    </div>
  );
}

interface MapControlProps extends ControlProps {
  /** Allowed values. Without them a value is any text. */
  readonly options: readonly string[];
  readonly isPlain: boolean;
  readonly offers: readonly ReferenceOffer[];
  /** Noun for an entry, such as output or value. */
  readonly noun: string;
}

/** Input for names with their values, one row each. */
export function MapControl({
  label,
  value,
  onChange,
  options,
  isPlain,
  offers,
  noun,
  disabled = false,
}: MapControlProps): JSX.Element {
  const entries = Object.entries(isJsonObject(value) ? value : {});
  const put = (next: readonly (readonly [string, Json])[], isTyped = false): void =>
    onChange(next.length === 0 ? undefined : Object.fromEntries(next), isTyped);
  const replace = (index: number, entry: readonly [string, Json], isTyped = false): void =>
    put(entries.with(index, [...entry]), isTyped);
  const add = (): void => {
    let count = entries.length + 1;
    while (entries.some(([name]) => name === `${noun}_${count}`)) count += 1;
    put([...entries, [`${noun}_${count}`, options[0] ?? ""]]);
  };
  return (
    <div className="form-rows">
      {entries.map(([name, member], index) => (
        // The index is the key, so that a row stays the same while its name is changed.
        <div key={index} className="form-row">
          <NameInput
            label={`Name of ${noun} ${index + 1} of ${label}`}
            value={name}
            disabled={disabled}
            onCommit={(text) => {
              // Another entry of that name would be lost.
              if (!entries.some(([other]) => other === text)) replace(index, [text, member]);
            }}
          />
          {options.length > 0 ? (
            <Select
              aria-label={`Type of ${name}`}
              value={jsonToText(member)}
              options={options}
              disabled={disabled}
              onChange={(text) => replace(index, [name, text])}
            />
          ) : (
            <ReferenceText
              label={name}
              aria-describedby=""
              value={member === null ? "" : jsonToText(member)}
              offers={offers}
              isExpression={false}
              rows={1}
              disabled={disabled}
              onCommit={(text) => replace(index, [name, isPlain ? text : readTyped(text)], true)}
            />
          )}
          <Button
            kind="quiet"
            size="small"
            icon="cross"
            label={`Remove ${name}`}
            disabled={disabled}
            onClick={() => put(entries.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <Button size="small" icon="plus" disabled={disabled} onClick={add}>
        Add {noun}
      </Button>
    </div>
  );
}

interface NameInputProps {
  readonly label: string;
  readonly value: string;
  readonly onCommit: (text: string) => void;
  readonly disabled: boolean;
}

/** Input for a name. The change is reported only when the name is finished, since an incomplete name would be a different one. */
export function NameInput({ label, value, onCommit, disabled }: NameInputProps): JSX.Element {
  const [text, setText] = useState<string | null>(null);
  const finish = (): void => {
    const name = text?.trim() ?? "";
    setText(null);
    if (name !== "" && name !== value) onCommit(name);
  };
  return (
    <input
      className="mono"
      aria-label={label}
      value={text ?? value}
      disabled={disabled}
      spellCheck={false}
      onChange={(event) => setText(event.target.value)}
      onBlur={finish}
      onKeyDown={(event) => {
        if (event.key === "Enter") finish();
        if (event.key === "Escape") setText(null);
      }}
    />
  );
}

/** Input for any value as YAML. The value is changed only while the text is valid. */
export function YamlControl({ value, onChange, label, ...rest }: ControlProps): JSX.Element {
  const typed = useTyped(value === undefined ? "" : printYaml(value), (text) => {
    const { tree, problems } = readSource(text);
    if (text.trim() === "") onChange(undefined, true);
    else if (tree !== null && problems.length === 0) onChange(tree.value, true);
  });
  return (
    <textarea
      {...rest}
      name={label}
      className="mono"
      rows={Math.min(14, typed.text.split("\n").length + 1)}
      spellCheck={false}
      value={typed.text}
      onChange={(event) => typed.type(event.target.value)}
      onBlur={typed.flush}
    />
  );
}
