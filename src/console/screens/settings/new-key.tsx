import { type JSX, useState } from "react";
import type { MemberRole } from "../../../client/index.ts";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { useAction } from "../../page/use-action.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Field } from "../../parts/field.tsx";
import { Select } from "../../parts/select.tsx";
import { ROLE_TEXTS } from "./roles.ts";
import { SecretDialog } from "./secret-dialog.tsx";

const SPANS: readonly (readonly [string, string])[] = [
  ["7", "in 7 days"],
  ["30", "in 30 days"],
  ["90", "in 90 days"],
  ["365", "in a year"],
  ["", "never"],
];
const DAY_MS = 86_400_000;

/** Creates a key and shows its secret once. */
export function NewKey({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [draft, setDraft] = useState({ label: "", role: "viewer" as MemberRole, agent: "", days: "90" });
  const [secret, setSecret] = useState<string | null>(null);
  const making = useAction(async () => {
    const { label, role, agent, days } = draft;
    const until = days === "" ? {} : { expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString() };
    const owner = agent.trim() === "" ? {} : { agent: agent.trim() };
    const made = await api.createKey({ label: label.trim(), role, ...owner, ...until });
    cache.invalidate("keys");
    setSecret(made.key);
  });
  if (secret !== null) {
    const forShell = `export SLUICE_URL=${location.origin} SLUICE_KEY=${secret}`;
    return (
      <SecretDialog
        title="The new key"
        label="The new key"
        secret={secret}
        done="I have saved it"
        onClose={onClose}
        after={<CodeBlock text={forShell} label="For a shell" isWrapped />}
      >
        This is shown once. Keep it where secrets are kept; it cannot be shown again.
      </SecretDialog>
    );
  }
  return (
    <FormDialog
      title="New key"
      verb="Create key"
      isReady={draft.label.trim() !== ""}
      action={making}
      onAct={() => void making.run()}
      onClose={onClose}
    >
      <div className="settings-form">
        <Field label="Label" isRequired hint="Who or what it is for.">
          <input
            value={draft.label}
            maxLength={200}
            onChange={({ target }) => setDraft({ ...draft, label: target.value })}
          />
        </Field>
        <Field label="Role">
          <Select
            value={draft.role}
            options={ROLE_TEXTS.map(([id, may]) => [id, `${id}: ${may}`] as const)}
            onChange={(role) => setDraft({ ...draft, role })}
          />
        </Field>
        <Field label="Agent" hint="Only for a key an agent uses.">
          <input value={draft.agent} onChange={({ target }) => setDraft({ ...draft, agent: target.value })} />
        </Field>
        <Field label="Expires">
          <Select value={draft.days} options={SPANS} onChange={(days) => setDraft({ ...draft, days })} />
        </Field>
      </div>
    </FormDialog>
  );
}
