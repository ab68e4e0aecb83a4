import type { ReactElement } from "react";
import { getOwn, type Json, type JsonObject, jsonToText, type TreePath } from "../../core/base/index.ts";
import { schemasAt } from "../editor/schema-walk.ts";
import { Select } from "../parts/select.tsx";
import { controlFor } from "./control.ts";
import type { FormContext } from "./form-context.ts";
import { LineControl, ListControl, MapControl, YamlControl } from "./plain-controls.tsx";
import { ReferenceText } from "./reference-text.tsx";

export interface FieldOfProps {
  readonly path: TreePath;
  readonly schema: JsonObject;
  readonly value: Json | undefined;
  readonly isOptional: boolean;
  readonly context: FormContext;
}

/** Returns the control for a field. */
export function controlOf(
  { path, schema, value, context }: FieldOfProps,
  label: string,
): ReactElement<{ id?: string }> {
  const { edit, offers, words, isReadOnly: disabled } = context;
  const key = String(path.at(-1));
  const control = controlFor(schema, value);
  const onChange = (next: Json | undefined, isTyped = false): void => {
    if (next !== undefined) edit({ kind: "set", path, value: next }, isTyped);
    else if (value !== undefined) edit({ kind: "remove", path }, isTyped);
  };
  const shared = { label, value, onChange, disabled };
  switch (control.kind) {
    case "choice": {
      const options = control.options.map((option): [string, string] => [option, option.replaceAll("_", " ")]);
      const chosen = typeof value === "string" ? value : "";
      const none: [string, string] = ["", "Default"];
      return (
        <Select
          value={chosen}
          options={[none, ...options]}
          disabled={disabled}
          onChange={(next) => onChange(next === "" ? undefined : next)}
        />
      );
    }
    case "flag": {
      const isUsual = schemasAt(schema, []).some((branch) => getOwn(branch, "default") === true);
      return (
        <input
          type="checkbox"
          checked={typeof value === "boolean" ? value : isUsual}
          disabled={disabled}
          onChange={({ target: { checked } }) => onChange(checked === isUsual ? undefined : checked)}
        />
      );
    }
    case "number":
      return <LineControl {...shared} />;
    case "list": {
      const known = context.namesFor(key);
      const options = known.length > 0 ? known : control.options;
      if (key === "depends_on" && options.length === 0 && value === undefined)
        return <span className="muted">Nothing.</span>;
      return <ListControl {...shared} options={options} isPlain={control.isPlain} />;
    }
    case "map":
      return <MapControl {...shared} {...control} offers={offers} noun={words.nounOf(key)} />;
    case "group":
    case "records":
    case "yaml":
      return <YamlControl {...shared} />;
    case "text":
      return textOf({ path, value, context, isPlain: control.isPlain }, label, onChange);
  }
}

function textOf(
  { path, value, context, isPlain }: Pick<FieldOfProps, "path" | "value" | "context"> & { readonly isPlain: boolean },
  label: string,
  onChange: (next: Json | undefined, isTyped?: boolean) => void,
): ReactElement<{ id?: string }> {
  const key = String(path.at(-1));
  const { words } = context;
  const names = context.namesFor(key);
  const text = value === undefined || value === null ? "" : jsonToText(value);
  if (names.length > 0 && (text === "" || names.includes(text))) {
    const none: [string, string] = ["", key === "agent" || key === "model" ? "Default" : "Choose …"];
    return (
      <Select
        value={text}
        options={[none, ...names]}
        disabled={context.isReadOnly}
        onChange={(next) => onChange(next === "" ? (words.isDefining(key) ? "" : undefined) : next)}
      />
    );
  }
  if (words.isSecret(key)) {
    const shared = { label, value, onChange, disabled: context.isReadOnly };
    return <LineControl {...shared} type="password" isPlain />;
  }
  if (words.rowsOf(key) === 1 && !words.isExpression(key) && !words.isFilled(key)) {
    const keep = (next: Json | undefined): void => onChange(next ?? (words.isDefining(key) ? "" : undefined), true);
    return <LineControl label={label} value={value} onChange={keep} disabled={context.isReadOnly} isPlain={isPlain} />;
  }
  const commit = (next: string): void => onChange(next === "" && !words.isDefining(key) ? undefined : next, true);
  return (
    <ReferenceText
      label={label}
      value={text}
      onCommit={commit}
      offers={words.isExpression(key) || words.isFilled(key) ? context.offers : []}
      isExpression={words.isExpression(key)}
      isCode={words.isCode(key)}
      rows={words.rowsOf(key)}
      disabled={context.isReadOnly}
    />
  );
}
