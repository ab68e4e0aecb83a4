import { type JSX, useEffect, useState } from "react";
import { Link, navigate, useLeaveGuard } from "../../page/router.tsx";
import { useMay } from "../../live/session-store.ts";
import { Field } from "../../parts/field.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { useChecker } from "./check/use-checker.ts";
import { EditorTab } from "./editor-tab.tsx";
import { fromTemplate, TEMPLATES } from "./templates.ts";

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** A new workflow that is not saved yet: a name, a template, and the editor. */
export function NewWorkflow({ template }: { readonly template: string | null }): JSX.Element {
  const [chosen, setChosen] = useState(TEMPLATES.find(({ id }) => id === template)?.id ?? "empty");
  const [name, setName] = useState("my-workflow");
  const [isOwn, setOwn] = useState(false);
  const [draft, setDraft] = useState(() => fromTemplate(chosen, "my-workflow"));
  const checker = useChecker();
  const mayWrite = useMay("workflow:write");
  const [isSaved, setSaved] = useState(false);
  useLeaveGuard(isOwn ? "The new workflow is not saved." : null);
  // Navigates in an effect, after the leave guard has been removed, so that the page can be left without a question.
  useEffect(() => {
    if (isSaved) navigate(`/workflows/${encodeURIComponent(name)}?tab=editor`);
  }, [isSaved]);
  const isNamed = NAME.test(name) && name.length <= 64;
  const rename = (next: string): void => {
    setName(next);
    if (NAME.test(next)) setDraft((text) => text.replace(/^name:.*$/m, `name: ${next}`));
  };
  const take = (id: string): void => {
    setChosen(id);
    setDraft(fromTemplate(id, isNamed ? name : "my-workflow"));
    setOwn(false);
  };
  return (
    <>
      <PageHead
        title="New workflow"
        trail={<Link to="/workflows">Workflows</Link>}
        subtitle="Begin with a template, change it, simulate it, save it."
      />
      <div className="stack workflow-is-new">
        <div className="workflow-new">
          <Field
            label="Name"
            hint="In kebab-case"
            problem={isNamed ? null : "Use lower-case letters, digits and single hyphens."}
          >
            <input value={name} onChange={(event) => rename(event.target.value)} />
          </Field>
          <TemplateChoice chosen={chosen} onChoose={take} />
        </div>
        <EditorTab
          // An empty workflow has no text to read, so the canvas is shown first.
          key={chosen === "empty" ? "empty" : "written"}
          {...(chosen === "empty" ? { view: "canvas" } : {})}
          checker={checker}
          name={name}
          saved={null}
          draft={draft}
          isLocked={!mayWrite || !isNamed}
          onChange={(text) => {
            setDraft(text);
            setOwn(true);
            const [, written] = /^name:\s*([a-z0-9-]+)\s*$/m.exec(text) ?? [];
            if (written !== undefined) setName(written);
          }}
          onSaved={() => {
            setOwn(false);
            setSaved(true);
          }}
        />
      </div>
    </>
  );
}

interface TemplateChoiceProps {
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

function TemplateChoice({ chosen, onChoose }: TemplateChoiceProps): JSX.Element {
  return (
    <fieldset className="workflow-templates">
      <legend>Template</legend>
      {TEMPLATES.map(({ id, title }) => (
        <label key={id} className="workflow-template">
          <input type="radio" name="template" checked={chosen === id} onChange={() => onChoose(id)} />
          {title}
        </label>
      ))}
      <p className="field-hint">{TEMPLATES.find(({ id }) => id === chosen)?.about}</p>
    </fieldset>
  );
}
