import type { JSX } from "react";
import { Field } from "../../parts/field.tsx";
import { Select } from "../../parts/select.tsx";

/** A model that is called from this tab. Its settings and key are stored only in the memory of the page. */
export interface OwnModel {
  readonly origin: string;
  readonly path: string;
  readonly model: string;
  readonly apiKey: string;
}

export const NO_MODEL: OwnModel = { origin: "", path: "/v1", model: "", apiKey: "" };

interface OwnModelFieldsProps {
  /** Origins of the services that the page may call. */
  readonly origins: readonly string[];
  readonly value: OwnModel;
  readonly onChange: (value: OwnModel) => void;
}

export function OwnModelFields({ origins, value, onChange }: OwnModelFieldsProps): JSX.Element {
  return (
    <div className="stack">
      <p className="note">
        Real calls, from this tab to the service: they cost what it charges, no gate is asked, and nothing is kept.
      </p>
      <Field label="Service" hint="It must speak chat completions, and allow calls from pages.">
        <Select value={value.origin} options={origins} onChange={(origin) => onChange({ ...value, origin })} />
      </Field>
      <Field label="Path">
        <input value={value.path} onChange={(event) => onChange({ ...value, path: event.target.value })} />
      </Field>
      <Field label="Model" hint="For nodes that name none." isRequired>
        <input value={value.model} onChange={(event) => onChange({ ...value, model: event.target.value })} />
      </Field>
      <Field label="Key" hint="For this tab: it goes to the service alone, and is gone when the tab is closed.">
        <input
          type="password"
          autoComplete="off"
          value={value.apiKey}
          onChange={(event) => onChange({ ...value, apiKey: event.target.value })}
        />
      </Field>
    </div>
  );
}
