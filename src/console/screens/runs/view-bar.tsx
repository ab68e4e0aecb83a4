import { type FormEvent, type JSX, useState } from "react";
import { navigate, usePlace } from "../../page/router.tsx";
import { useStore } from "../../page/store.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { BUILT_IN, removeView, type SavedView, savedViews, saveView } from "./views.ts";

/** Named filters; saved ones are kept in this browser. */
export function ViewBar(): JSX.Element {
  const saved = useStore(savedViews);
  const [isNaming, setNaming] = useState(false);
  const here = usePlace().search.slice(1);
  const isFiltered = here !== "";
  const isKnown = [...BUILT_IN, ...saved].some(({ search }) => search === here);
  return (
    <div className="row view-bar" role="group" aria-label="Views">
      {BUILT_IN.map((view) => (
        <ViewButton key={view.name} view={view} here={here} />
      ))}
      {saved.map((view) => (
        <span key={view.name} className="view-saved">
          <ViewButton view={view} here={here} />
          <button
            type="button"
            className="view-remove"
            aria-label={`Forget the view ${view.name}`}
            onClick={() => removeView(view.name)}
          >
            <Icon name="cross" size={11} />
          </button>
        </span>
      ))}
      {isFiltered && !isKnown && (
        <Button size="small" icon="save" onClick={() => setNaming(true)}>
          Save view
        </Button>
      )}
      {isNaming && <NameView search={here} onClose={() => setNaming(false)} />}
    </div>
  );
}

function ViewButton({ view, here }: { readonly view: SavedView; readonly here: string }): JSX.Element {
  return (
    <button
      type="button"
      className="view"
      aria-pressed={view.search === here}
      onClick={() => navigate(view.search === "" ? "/runs" : `/runs?${view.search}`)}
    >
      {view.name}
    </button>
  );
}

function NameView({ search, onClose }: { readonly search: string; readonly onClose: () => void }): JSX.Element {
  const [name, setName] = useState("");
  const save = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() === "") return;
    saveView({ name: name.trim(), search });
    onClose();
  };
  return (
    <Dialog title="Save view" width="narrow" onClose={onClose}>
      <form className="stack" onSubmit={save}>
        <Field label="Name" hint="It is kept in this browser.">
          <input value={name} maxLength={40} required autoFocus onChange={(event) => setName(event.target.value)} />
        </Field>
        <Button kind="primary" type="submit">
          Save
        </Button>
      </form>
    </Dialog>
  );
}
