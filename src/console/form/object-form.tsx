import type { JSX, ReactElement } from "react";
import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject, type TreePath } from "../../core/base/index.ts";
import { keysOf, schemasAt } from "../editor/schema-walk.ts";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { Select } from "../parts/select.tsx";
import { controlFor, titleOf } from "./control.ts";
import { controlOf, type FieldOfProps } from "./field-control.tsx";
import type { FormContext } from "./form-context.ts";
import { Problems, textOfProblems } from "./problems.tsx";
import "./form.css";

interface ObjectFormProps {
  readonly path: TreePath;
  readonly schema: JsonObject;
  readonly value: JsonObject;
  /** Fields that are shown even when they are empty. */
  readonly first: readonly string[];
  readonly hidden: ReadonlySet<string>;
  readonly context: FormContext;
}

/** Form for a map, based on its schema: the important fields, the fields it has, and a list of fields that can be added. */
export function ObjectForm({ path, schema, value, first, hidden, context }: ObjectFormProps): JSX.Element {
  const known = keysOf([schema]).filter(({ name }) => !hidden.has(name));
  const written = Object.keys(value).filter((key) => !hidden.has(key) && !first.includes(key));
  const shown = [...first.filter((key) => known.some(({ name }) => name === key)), ...written];
  const others = known.filter(({ name }) => !shown.includes(name));
  return (
    <div className="form">
      {shown.map((key) => (
        <FieldOf
          key={key}
          path={[...path, key]}
          schema={propertyOf(schema, key)}
          value={getOwn(value, key)}
          isOptional={!first.includes(key)}
          context={context}
        />
      ))}
      {others.length > 0 && !context.isReadOnly && (
        <Select
          className="form-more"
          aria-label="Add a field"
          value=""
          options={[
            ["", "Add a field …"],
            ...others.map(({ name }): [string, string] => [name, titleFor(name, context)]),
          ]}
          onChange={(key) => {
            if (key !== "")
              context.edit({ kind: "set", path: [...path, key], value: startOf(propertyOf(schema, key)) });
          }}
        />
      )}
    </div>
  );
}

function propertyOf(schema: JsonObject, key: string): JsonObject {
  const [found = {}] = schemasAt(schema, []).flatMap((branch) => {
    const properties = getOwn(branch, "properties");
    const property = isJsonObject(properties) ? getOwn(properties, key) : undefined;
    return isJsonObject(property) ? [property] : [];
  });
  return found;
}

function titleFor(key: string, { words }: FormContext): string {
  return words.titleOf(key) ?? titleOf(key);
}

/** Returns the initial value of a field that was just added. */
function startOf(schema: JsonObject): Json {
  const fallback = getOwn(schema, "default");
  if (fallback !== undefined && fallback !== null && typeof fallback !== "object") return fallback;
  const control = controlFor(schema, undefined);
  if (control.kind === "flag") return true;
  if (control.kind === "number") return 1;
  if (control.kind === "choice") return control.options[0] ?? "";
  if (control.kind === "list" || control.kind === "records") return [];
  if (control.kind === "group") {
    const needed = keysOf([control.schema]).filter(({ isRequired }) => isRequired);
    return Object.fromEntries(needed.map(({ name }) => [name, ""]));
  }
  return control.kind === "map" ? {} : "";
}

function FieldOf({ path, schema, value, isOptional, context }: FieldOfProps): JSX.Element {
  const { edit, words, isReadOnly } = context;
  const key = String(path.at(-1));
  const control = controlFor(schema, value);
  const title = titleFor(key, context);
  const remove = (): void => edit({ kind: "remove", path });
  const remover = isOptional && value !== undefined && !isReadOnly && (
    <Button kind="quiet" size="small" icon="cross" label={`Remove ${title}`} onClick={remove} />
  );
  if (control.kind === "group") {
    return (
      <fieldset className="form-group" data-field={key}>
        <legend>
          {title} {remover}
        </legend>
        <p className="field-hint">{descriptionOf(schema)}</p>
        <Problems problems={context.problems} path={path} isExact />
        <ObjectForm
          path={path}
          schema={control.schema}
          value={isJsonObject(value) ? value : {}}
          first={keysOf([control.schema]).flatMap(({ name, isRequired }) => (isRequired ? [name] : []))}
          hidden={NOTHING_HIDDEN}
          context={context}
        />
      </fieldset>
    );
  }
  if (control.kind === "records") {
    return (
      <RecordList
        path={path}
        schema={control.schema}
        hint={words.hintOf(key) ?? descriptionOf(schema)}
        value={value}
        title={title}
        remover={remover}
        context={context}
      />
    );
  }
  const problem = textOfProblems(context.problems, path);
  return (
    <div className="form-field" data-field={key}>
      {remover}
      <Field label={title} hint={words.hintOf(key) ?? descriptionOf(schema)} problem={problem}>
        {controlOf({ path, schema, value, isOptional, context }, title)}
      </Field>
      {context.below?.(path, value)}
    </div>
  );
}

interface RecordListProps {
  readonly path: TreePath;
  /** Schema of each entry. */
  readonly schema: JsonObject;
  readonly hint: string;
  readonly value: Json | undefined;
  readonly title: string;
  readonly remover: ReactElement | false;
  readonly context: FormContext;
}

/** A list of maps: each is a form of its own. */
function RecordList({ path, schema, hint, value, title, remover, context }: RecordListProps): JSX.Element {
  const entries = isJsonArray(value) ? value : [];
  const needed = keysOf([schema]).flatMap(({ name, isRequired }) => (isRequired ? [name] : []));
  return (
    <fieldset className="form-group" data-field={String(path.at(-1))}>
      <legend>
        {title} {remover}
      </legend>
      <p className="field-hint">{hint}</p>
      <Problems problems={context.problems} path={path} isExact />
      {entries.map((entry, index) => (
        <section key={index} className="form-record" aria-label={`${title} ${index + 1}`}>
          <div className="form-record-head">
            <span>{index + 1}</span>
            {!context.isReadOnly && (
              <Button
                kind="quiet"
                size="small"
                icon="cross"
                label={`Remove entry ${index + 1} of ${title}`}
                onClick={() => context.edit({ kind: "remove", path: [...path, index] })}
              />
            )}
          </div>
          <Problems problems={context.problems} path={[...path, index]} isExact />
          <ObjectForm
            path={[...path, index]}
            schema={schema}
            value={isJsonObject(entry) ? entry : {}}
            first={needed}
            hidden={NOTHING_HIDDEN}
            context={context}
          />
        </section>
      ))}
      {!context.isReadOnly && (
        <Button
          size="small"
          icon="plus"
          onClick={() => context.edit({ kind: "append", list: path, index: entries.length, value: startOf(schema) })}
        >
          Add to {title}
        </Button>
      )}
    </fieldset>
  );
}

const NOTHING_HIDDEN: ReadonlySet<string> = new Set();

function descriptionOf(schema: JsonObject): string {
  const text = getOwn(schema, "description");
  return typeof text === "string" ? text : "";
}
