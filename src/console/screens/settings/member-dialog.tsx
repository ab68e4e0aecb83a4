import { type JSX, useState } from "react";
import type { Person, MemberRole } from "../../../client/index.ts";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { useAction } from "../../page/use-action.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { RoleBoxes } from "./role-boxes.tsx";
import { namesIn, ROLE_TEXTS } from "./roles.ts";

/** Assigns roles and groups to a member. */
export function MemberDialog({
  person,
  onClose,
}: {
  readonly person: Person;
  readonly onClose: () => void;
}): JSX.Element {
  const [roles, setRoles] = useState<ReadonlySet<MemberRole>>(() => {
    const assigned = namesFrom(person.roles, "assigned");
    return new Set(ROLE_TEXTS.map(([role]) => role).filter((role) => assigned.includes(role)));
  });
  const [groups, setGroups] = useState(namesFrom(person.groups, "assigned").join(", "));
  const claimedGroups = namesFrom(person.groups, "claims");
  const saving = useAction(async () => {
    await api.people.change(person.id, { roles: [...roles], groups: [...namesIn(groups)] });
    cache.invalidate("people");
    onClose();
  });
  return (
    <FormDialog title={person.label} verb="Save" action={saving} onAct={() => void saving.run()} onClose={onClose}>
      <div className="settings-form">
        <RoleBoxes chosen={roles} onChange={setRoles} claimed={new Set(namesFrom(person.roles, "claims"))} />
        <Field
          label="Groups"
          hint={
            claimedGroups.length === 0
              ? "Names with commas between; approver lists name them as role:NAME or team:NAME."
              : `Besides those from the provider: ${claimedGroups.join(", ")}.`
          }
        >
          <input value={groups} onChange={({ target }) => setGroups(target.value)} />
        </Field>
      </div>
    </FormDialog>
  );
}

function namesFrom(items: Person["roles"], from: "claims" | "assigned"): readonly string[] {
  return items.filter(({ source }) => source === from).map(({ name }) => name);
}
