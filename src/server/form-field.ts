import { getOwn, type Json, type JsonObject } from "../core/base/index.ts";
import type { ArgField } from "../core/definition/index.ts";
import { html, type Html } from "./html.ts";

/** Prefix that separates the fields of a form from the page's own fields. */
const PREFIX = "arg.";

/** Returns the arg that an input of the page belongs to. */
export function argOfInput(input: string): string {
  return input.startsWith(PREFIX) ? input.slice(PREFIX.length) : "";
}

/** Returns how many files an arg takes. */
export function filesWanted({ type, items }: Pick<ArgField, "type" | "items">): "none" | "one" | "many" {
  if (type === "file") return "one";
  return type === "array" && items?.type === "file" ? "many" : "none";
}

/** Renders one arg as an input with its label; `given` is the value sent before. */
export function fieldOf(name: string, field: ArgField, given: Json | undefined): Html {
  const label = html`<label for="${name}">${name}${field.required && field.default === undefined ? " *" : ""}</label>`;
  const hint = field.description === undefined ? "" : html`<small id="${name}-hint">${field.description}</small>`;
  return html`<p>${label} ${hint} ${inputOf(name, field, given ?? field.default)}</p>`;
}

function inputOf(name: string, field: ArgField, value: Json | undefined): Html {
  const isNeeded = field.required && field.default === undefined;
  const common = attributes({
    id: name,
    name: `${PREFIX}${name}`,
    ...(field.description === undefined ? {} : { "aria-describedby": `${name}-hint` }),
    ...(isNeeded && field.type !== "boolean" ? { required: "" } : {}),
  });
  const files = filesWanted(field);
  if (files !== "none") return html`<input type="file" ${common} ${files === "many" ? "multiple" : ""} />`;
  if (field.enum !== undefined) return select(common, field.enum.map(String), textOf(value), isNeeded);
  switch (field.type) {
    case "boolean":
      return html`<input
        type="checkbox"
        value="true"
        ${common}
        ${attributes(value === true ? { checked: "" } : {})}
      />`;
    case "number":
    case "integer": {
      const range = { step: field.type === "integer" ? "1" : "any", min: field.minimum, max: field.maximum };
      return html`<input type="number" ${common} ${attributes({ ...range, value: textOf(value) })} />`;
    }
    case "object":
    case "array":
      return html`<textarea rows="6" spellcheck="false" ${common}>
${value === undefined ? "" : JSON.stringify(value, null, 2)}</textarea>`;
    default: {
      const length = { minlength: field.minLength, maxlength: field.maxLength };
      return html`<textarea rows="2" ${common} ${attributes(length)}>${textOf(value)}</textarea>`;
    }
  }
}

function select(common: Html, options: readonly string[], chosen: string, isNeeded: boolean): Html {
  const items = options.map((option) => {
    return html`<option ${attributes(option === chosen ? { selected: "" } : {})}>${option}</option>`;
  });
  return html`<select ${common}>
    ${isNeeded && chosen !== "" ? "" : html`<option value=""></option>`} ${items}
  </select>`;
}

function attributes(values: Readonly<Record<string, string | number | undefined>>): Html {
  const written = Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return [];
    // Keys are constants of this code; only values need escaping.
    return [value === "" ? html`${key}` : html`${key}="${value}"`];
  });
  return html`${written}`;
}

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns the sent values by arg name. A value that does not fit its type stays text, and a later check refuses it. */
export function givenArgs(sent: JsonObject, args: Readonly<Record<string, ArgField>>): JsonObject {
  const given = Object.entries(args).flatMap(([name, field]): [string, Json][] => {
    const value = getOwn(sent, `${PREFIX}${name}`);
    if (filesWanted(field) !== "none") return [];
    if (field.type === "boolean" && field.enum === undefined) return [[name, value !== undefined]];
    if (value === undefined || value === "") return [];
    return [[name, typeof value === "string" ? typed(value, field) : value]];
  });
  return Object.fromEntries(given);
}

function typed(text: string, field: ArgField): Json {
  switch (field.type) {
    case "number":
    case "integer":
      return /^\s*[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*$/.test(text) ? Number(text) : text;
    case "boolean":
      return text === "true" ? true : text === "false" ? false : text;
    case "object":
    case "array":
      return parsed(text);
    default:
      // A browser sends line breaks as CR LF.
      return text.replaceAll("\r\n", "\n");
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
