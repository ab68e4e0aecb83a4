import { type JSX, useState } from "react";
import type { MemberRole } from "../../../client/index.ts";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { useAction } from "../../page/use-action.ts";
import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { RoleBoxes } from "./role-boxes.tsx";
import { namesIn } from "./roles.ts";

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
  if (link !== null) return <InviteLink email={email.trim()} link={link} onClose={onClose} />;
  return (
    <Dialog
      title="Invite a person"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button
            kind="primary"
            isBusy={inviting.isBusy}
            disabled={email.trim() === "" || roles.size === 0}
            onClick={() => void inviting.run()}
          >
            Invite
          </Button>
        </>
      }
    >
      <div className="settings-form">
        <Field label="Email" isRequired hint="Only a person with this verified email can accept.">
          <input type="email" value={email} onChange={({ target }) => setEmail(target.value)} />
        </Field>
        <RoleBoxes chosen={roles} onChange={setRoles} />
        <Field label="Groups" hint="Names with commas between; approver lists name them as role:NAME or team:NAME.">
          <input value={groups} onChange={({ target }) => setGroups(target.value)} />
        </Field>
        {inviting.problem !== null && <ProblemView problem={inviting.problem} />}
      </div>
    </Dialog>
  );
}

function InviteLink(props: {
  readonly email: string;
  readonly link: string;
  readonly onClose: () => void;
}): JSX.Element {
  const { email, link, onClose } = props;
  return (
    <Dialog
      title="The invitation"
      onClose={onClose}
      actions={
        <Button kind="primary" onClick={onClose}>
          I have sent it
        </Button>
      }
    >
      <div className="settings-secret stack" role="status">
        <p>Send this link to {email}. It is valid for 7 days and shown once.</p>
        <CodeBlock text={link} label="The link" isWrapped />
      </div>
    </Dialog>
  );
}
