import { type JSX, useState } from "react";
import type { SavedView } from "../../../client/index.ts";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { useQuery } from "../../live/use-query.ts";
import { navigate, usePlace } from "../../page/router.tsx";
import { useAction } from "../../page/use-action.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { toast } from "../../parts/toast.tsx";
import { BUILT_IN, type NamedView, searchOf, viewQuery } from "./views.ts";

const TAG = "views";

/** Named views: the built-in ones, the caller's own, and those shared by other members. */
export function ViewBar(): JSX.Element {
  const saved = useQuery(TAG, () => api.search.listViews(), { tags: [TAG] }).data?.data ?? [];
  const [isNaming, setNaming] = useState(false);
  const [removed, setRemoved] = useState<SavedView | null>(null);
  const here = usePlace().search.slice(1);
  const known = [...BUILT_IN.map(({ search }) => search), ...saved.map(searchOf)];
  return (
    <div className="row view-bar" role="group" aria-label="Views">
      {BUILT_IN.map((view) => (
        <ViewButton key={view.name} view={view} here={here} />
      ))}
      {saved.map((view) => (
        <span key={view.id} className="view-saved">
          <ViewButton view={{ name: view.name, search: searchOf(view) }} here={here} isShared={view.shared} />
          {view.isOwn && (
            <button
              type="button"
              className="view-remove"
              aria-label={`Delete the view ${view.name}`}
              onClick={() => setRemoved(view)}
            >
              <Icon name="cross" size={11} />
            </button>
          )}
        </span>
      ))}
      {here !== "" && !known.includes(here) && (
        <Button size="small" icon="save" onClick={() => setNaming(true)}>
          Save view
        </Button>
      )}
      {isNaming && <NameView search={here} onClose={() => setNaming(false)} />}
      {removed !== null && (
        <Confirm
          title={`Delete the view ${removed.name}?`}
          verb="Delete"
          onClose={() => setRemoved(null)}
          onConfirm={async () => {
            await api.search.deleteView(removed.id);
            cache.invalidate(TAG);
          }}
        >
          {removed.shared ? "It is gone for all of the organisation." : "No run is changed by it."}
        </Confirm>
      )}
    </div>
  );
}

interface ViewButtonProps {
  readonly view: NamedView;
  readonly here: string;
  readonly isShared?: boolean;
}

function ViewButton({ view, here, isShared = false }: ViewButtonProps): JSX.Element {
  return (
    <button
      type="button"
      className="view"
      aria-pressed={view.search === here}
      title={isShared ? "Shared with the organisation" : undefined}
      onClick={() => navigate(view.search === "" ? "/runs" : `/runs?${view.search}`)}
    >
      {view.name}
    </button>
  );
}

function NameView({ search, onClose }: { readonly search: string; readonly onClose: () => void }): JSX.Element {
  const [name, setName] = useState("");
  const [isShared, setShared] = useState(false);
  const saving = useAction(async () => {
    const view = await api.search.saveView({ name: name.trim(), shared: isShared, query: viewQuery(search) });
    cache.invalidate(TAG);
    toast("Saved");
    navigate(`/runs?${searchOf(view)}`, { replace: true });
  });
  const save = async (): Promise<void> => {
    if (name.trim() !== "" && (await saving.run())) onClose();
  };
  return (
    <FormDialog
      title="Save view"
      width="narrow"
      verb="Save"
      isReady={name.trim() !== ""}
      action={saving}
      onAct={() => void save()}
      onClose={onClose}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field label="Name">
          <input value={name} maxLength={100} required onChange={(event) => setName(event.target.value)} />
        </Field>
        <label className="row">
          <input type="checkbox" checked={isShared} onChange={(event) => setShared(event.target.checked)} />
          Share it with the organisation
        </label>
      </form>
    </FormDialog>
  );
}
