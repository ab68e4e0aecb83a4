import { type FormEvent, type JSX, useState } from "react";
import { navigate, type SearchParams } from "../../page/router.tsx";
import { ENTRIES_MAX } from "../../live/every-page.ts";
import { useMay } from "../../live/session-store.ts";
import { useWorkflows } from "../../live/use-registered.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Select } from "../../parts/select.tsx";
import { chipsOf, FILTER_FIELDS, type FilterField, FILTER_NAMES } from "./run-filters.ts";

/** The filters of the list: a chip for each filter that is set, and a menu of further filters. */
export function FilterBar({ params }: { readonly params: SearchParams }): JSX.Element {
  const [edited, setEdited] = useState<FilterField | null>(null);
  const chips = chipsOf(params.get);
  const isFiltered = FILTER_NAMES.some((name) => params.get(name) !== null);
  return (
    <div className="row runs-filters" role="group" aria-label="Filters">
      {chips.map(({ name, label, text }) => (
        <span key={name} className="chip">
          <button
            type="button"
            className="chip-text"
            aria-label={`Change the filter ${label}: ${text}`}
            onClick={() => setEdited(FILTER_FIELDS.find((field) => field.name === name) ?? null)}
          >
            <span className="muted">{label}</span> {text}
          </button>
          <button
            type="button"
            className="chip-remove"
            aria-label={`Remove the filter ${label}`}
            onClick={() => params.set({ [name]: null })}
          >
            <Icon name="cross" size={11} />
          </button>
        </span>
      ))}
      <Menu
        label="Add filter"
        button={{ icon: "plus", size: "small" }}
        items={FILTER_FIELDS.map((field) => ({ label: field.label, onSelect: () => setEdited(field) }))}
      >
        Add filter
      </Menu>
      {isFiltered && (
        <Button size="small" kind="quiet" onClick={() => navigate("/runs")}>
          Clear
        </Button>
      )}
      {edited !== null && (
        <EditFilter key={edited.name} field={edited} params={params} onClose={() => setEdited(null)} />
      )}
    </div>
  );
}

interface EditFilterProps {
  readonly field: FilterField;
  readonly params: SearchParams;
  readonly onClose: () => void;
}

function EditFilter({ field: { name, label, hint, options }, params, onClose }: EditFilterProps): JSX.Element {
  const [text, setText] = useState(params.get(name) ?? "");
  const workflows = useChoices(name === "workflow");
  const choices = options ?? workflows;
  const apply = (event: FormEvent): void => {
    event.preventDefault();
    params.set({ [name]: text.trim() });
    onClose();
  };
  return (
    <Dialog title={`Filter by ${label.toLowerCase()}`} width="narrow" onClose={onClose}>
      <form className="stack" onSubmit={apply}>
        <Field label={label} hint={hint}>
          {choices === undefined ? (
            <input value={text} maxLength={500} onChange={(event) => setText(event.target.value)} />
          ) : (
            <Select value={text} options={[["", "Any"], ...choices]} onChange={setText} />
          )}
        </Field>
        <Button kind="primary" type="submit">
          Apply
        </Button>
      </form>
    </Dialog>
  );
}

/** Returns the names of the workflows to choose from. Undefined when they cannot all be listed; then the name is typed. */
function useChoices(isWanted: boolean): readonly (readonly [string, string])[] | undefined {
  const mayRead = useMay("workflow:read");
  const found = useWorkflows(mayRead && isWanted).data;
  if (found === undefined || found.length === ENTRIES_MAX || found.length === 0) return undefined;
  return found.map(({ name }) => [name, name] as const);
}
