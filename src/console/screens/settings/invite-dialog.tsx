import { type JSX, useState } from "react";
import type { MemberRole } from "../../../client/index.ts";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { useAction } from "../../page/use-action.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { RoleBoxes } from "./role-boxes.tsx";
import { namesIn } from "./roles.ts";
import { SecretDialog } from "./secret-dialog.tsx";

/** Invites a person and shows the link for them, once. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [email, setEmail] = useState("");
  const [roles, setRoles] = useState<ReadonlySet<MemberRole>>(new Set(["viewer"]));
  const [groups, setGroups] = useState("");
  const [link, setLink] = useState<string | null>(null);
  const inviting = useAction(async () => {
    const made = await api.people.invite({ email: email.trim(), roles: [...roles], groups: [...namesIn(groups)] });
    cache.invalidate("people");
    setLink(made.link);
  });
  if (link !== null) {
    return (
      <SecretDialog title="The invitation" label="The link" secret={link} done="I have sent it" onClose={onClose}>
        Send this link to {email.trim()}. It is valid for 7 days and shown once.
      </SecretDialog>
    );
  }
  return (
    <FormDialog
      title="Invite a person"
      verb="Invite"
      isReady={email.trim() !== "" && roles.size > 0}
      action={inviting}
      onAct={() => void inviting.run()}
      onClose={onClose}
    >
      <div className="settings-form">
        <Field label="Email" isRequired hint="Only a person with this verified email can accept.">
          <input type="email" value={email} onChange={({ target }) => setEmail(target.value)} />
        </Field>
        <RoleBoxes chosen={roles} onChange={setRoles} />
        <Field label="Groups" hint="Names with commas between; approver lists name them as role:NAME or team:NAME.">
          <input value={groups} onChange={({ target }) => setGroups(target.value)} />
        </Field>
      </div>
    </FormDialog>
  );
}
