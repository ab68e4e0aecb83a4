import type { FormFields } from "../core/event/index.ts";
import { valueText } from "../outside/channel/index.ts";
import { type Html, html } from "./html.ts";

/** Renders the fields of a gate's form, usable without a script. */
export function fieldsHtml(fields: FormFields, entered: URLSearchParams): Html {
  return html`<fieldset>
    <legend>To be filled in</legend>
    ${Object.entries(fields).map(([name, field]) => fieldHtml(name, field, entered))}
  </fieldset>`;
}

function fieldHtml(name: string, field: FormFields[string], entered: URLSearchParams): Html {
  const { label = name, description, required } = field;
  const mark = required ? html`` : html` <small>(optional)</small>`;
  const control = controlHtml(`form.${name}`, field, entered);
  const isBox = field.type === "boolean" && field.enum === undefined;
  return html`<p>
    <label>${isBox ? html`${control} ${label}` : html`${label}${mark}<br />${control}`}</label>
    ${description === undefined ? html`` : html`<br /><small>${description}</small>`}
  </p>`;
}

function controlHtml(
  name: string,
  { type, enum: words, default: preset }: FormFields[string],
  entered: URLSearchParams,
): Html {
  const standard = preset === undefined || preset === null ? "" : valueText(preset);
  const value = entered.get(name) ?? (entered.size > 0 && type === "boolean" ? "" : standard);
  switch (words === undefined ? type : "enum") {
    case "boolean":
      return value === "true"
        ? html`<input type="checkbox" name="${name}" value="true" checked />`
        : html`<input type="checkbox" name="${name}" value="true" />`;
    case "enum":
      return html`<select name="${name}">
        <option value=""></option>
        ${(words ?? []).map((word) =>
          String(word) === value
            ? html`<option value="${word}" selected>${word}</option>`
            : html`<option value="${word}">${word}</option>`,
        )}
      </select>`;
    case "text":
      return html`<textarea name="${name}" rows="4">${value}</textarea>`;
    case "number":
    case "integer":
      return html`<input type="number" step="${type === "integer" ? "1" : "any"}" name="${name}" value="${value}" />`;
    case "date":
      return html`<input type="date" name="${name}" value="${value}" />`;
    default:
      return html`<input name="${name}" value="${value}" />`;
  }
}
