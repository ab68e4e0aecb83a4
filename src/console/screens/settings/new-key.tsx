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
import { ROLE_TEXTS } from "./roles.ts";

const SPANS: readonly (readonly [string, string])[] = [
  ["7", "in 7 days"],
  ["30", "in 30 days"],
  ["90", "in 90 days"],
  ["365", "in a year"],
  ["", "never"],
];
const DAY_MS = 86_400_000;

/** Makes a key and shows its secret, once. */
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
  if (secret !== null) return <Secret secret={secret} onClose={onClose} />;
  return (
    <Dialog
      title="New key"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button
            kind="primary"
            isBusy={making.isBusy}
            disabled={draft.label.trim() === ""}
            onClick={() => void making.run()}
          >
            Create key
          </Button>
        </>
      }
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
          <select
            value={draft.role}
            onChange={({ target }) =>
              setDraft({ ...draft, role: ROLE_TEXTS.find(([id]) => id === target.value)?.[0] ?? "viewer" })
            }
          >
            {ROLE_TEXTS.map(([id, may]) => (
              <option key={id} value={id}>{`${id}: ${may}`}</option>
            ))}
          </select>
        </Field>
        <Field label="Agent" hint="Only for a key an agent uses.">
          <input value={draft.agent} onChange={({ target }) => setDraft({ ...draft, agent: target.value })} />
        </Field>
        <Field label="Expires">
          <select value={draft.days} onChange={({ target }) => setDraft({ ...draft, days: target.value })}>
            {SPANS.map(([id, text]) => (
              <option key={id} value={id}>
                {text}
              </option>
            ))}
          </select>
        </Field>
        {making.problem !== null && <ProblemView problem={making.problem} />}
      </div>
    </Dialog>
  );
}

function Secret({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }): JSX.Element {
  return (
    <Dialog
      title="The new key"
      onClose={onClose}
      actions={
        <Button kind="primary" onClick={onClose}>
          I have saved it
        </Button>
      }
    >
      <div className="settings-secret stack" role="status">
        <p>This is shown once. Keep it where secrets are kept; it cannot be shown again.</p>
        <CodeBlock text={secret} label="The new key" isWrapped />
      </div>
      <CodeBlock text={`export SLUICE_URL=${location.origin} SLUICE_KEY=${secret}`} label="For a shell" isWrapped />
    </Dialog>
  );
}
