import { type JSX, useState } from "react";
import type { Person } from "../../../client/index.ts";
import { api } from "../../live/api.ts";
import { everyPage } from "../../live/every-page.ts";
import { useMay } from "../../live/session-store.ts";
import { useQuery } from "../../live/use-query.ts";
import { useAction } from "../../page/use-action.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Select } from "../../parts/select.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { TimeText } from "../../parts/time-text.tsx";

/** Shows and edits the deputies that answer approvals in this person's place, with their dates. */
export function DeputyPanel({ personId }: { readonly personId: string }): JSX.Element | null {
  const mayRead = useMay("governance:read");
  const people = useQuery(mayRead ? "people" : null, () => everyPage((page) => api.people.list(page)), {
    tags: ["people"],
  });
  const removing = useAction(async () => {
    await api.people.removeDeputy();
    await people.refresh();
  });
  if (!mayRead) return null;
  const self = people.data?.find(({ id }) => id === personId);
  const others = people.data?.filter(({ id, isDisabled }) => id !== personId && !isDisabled) ?? [];
  const deputy = self?.deputy ?? null;
  return (
    <Panel title="Deputy">
      {people.problem !== null && <ProblemView problem={people.problem} />}
      {people.data === undefined && people.problem === null && <Skeleton />}
      {deputy !== null && (
        <div className="spread">
          <span>
            {deputy.label} answers approvals in your place from <TimeText at={deputy.from} /> until{" "}
            <TimeText at={deputy.until} />.
          </span>
          <Button isBusy={removing.isBusy} onClick={() => void removing.run()}>
            Remove
          </Button>
        </div>
      )}
      {removing.problem !== null && <ProblemView problem={removing.problem} />}
      {self !== undefined && deputy === null && others.length === 0 && (
        <p className="muted">There is no other person in the organisation who could answer in your place.</p>
      )}
      {self !== undefined && deputy === null && others.length > 0 && (
        <DeputyForm others={others} onSet={() => people.refresh()} />
      )}
    </Panel>
  );
}

interface DeputyFormProps {
  readonly others: readonly Person[];
  readonly onSet: () => Promise<void>;
}

function DeputyForm({ others, onSet }: DeputyFormProps): JSX.Element {
  const [draft, setDraft] = useState({ person: others[0]?.id ?? "", from: "", until: "" });
  const setting = useAction(async () => {
    const { person, from, until } = draft;
    const start = from === "" ? {} : { from: new Date(`${from}T00:00`).toISOString() };
    await api.people.setDeputy({ person, ...start, until: endOf(until) });
    await onSet();
  });
  return (
    <form
      className="account-deputy"
      onSubmit={(event) => {
        event.preventDefault();
        void setting.run();
      }}
    >
      <Field label="Person">
        <Select
          value={draft.person}
          options={others.map(({ id, label }) => [id, label] as const)}
          onChange={(person) => setDraft({ ...draft, person })}
        />
      </Field>
      <Field label="From" hint="Empty: now.">
        <input type="date" value={draft.from} onChange={({ target }) => setDraft({ ...draft, from: target.value })} />
      </Field>
      <Field label="Until" isRequired hint="To the end of that day.">
        <input type="date" value={draft.until} onChange={({ target }) => setDraft({ ...draft, until: target.value })} />
      </Field>
      <Button type="submit" isBusy={setting.isBusy} disabled={draft.until === ""}>
        Set deputy
      </Button>
      {setting.problem !== null && <ProblemView problem={setting.problem} />}
    </form>
  );
}

/** Returns the first moment of the next day. */
function endOf(day: string): string {
  const date = new Date(`${day}T00:00`);
  date.setDate(date.getDate() + 1);
  return date.toISOString();
}
