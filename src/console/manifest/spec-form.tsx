import { type JSX, type ReactNode, useMemo, useState } from "react";
import { isJsonObject, type JsonObject, type TreePath } from "../../core/base/index.ts";
import { editFields, type FieldEdit } from "../../core/edit/index.ts";
import { keysOf } from "../editor/schema-walk.ts";
import type { FormContext, ReferenceOffer } from "../form/form-context.ts";
import { ObjectForm } from "../form/object-form.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { CronView } from "./cron-view.tsx";
import type { ManifestKind } from "./manifest-kind.ts";
import { readSpecText, type SpecProblem } from "./spec-text.ts";
import { SPEC_WORDS } from "./spec-words.ts";
import { useIds, useKnownNames } from "./use-known-names.ts";

/** What a kind adds to its form. */
export interface SpecFormParts {
  /** Values its expressions may speak about. */
  readonly offersFor?: ((spec: JsonObject) => readonly ReferenceOffer[]) | undefined;
  /** What is shown below a field while it is filled in. */
  readonly below?: ((path: TreePath, spec: JsonObject) => ReactNode) | undefined;
}

interface SpecFormProps extends SpecFormParts {
  readonly kind: ManifestKind;
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Null while it is read. */
  readonly schema: JsonObject | null;
  /** Null while the text cannot be read. */
  readonly spec: JsonObject | null;
  readonly problems: readonly SpecProblem[];
  readonly isReadOnly: boolean;
}

const NOTHING_HIDDEN: ReadonlySet<string> = new Set();
const NO_OFFERS: readonly ReferenceOffer[] = [];

/** The spec of a manifest as a form. What it changes it changes in the text, whose comments and order stay. */
export function SpecForm(props: SpecFormProps): JSX.Element {
  const { kind, text, onText, schema, spec, problems, isReadOnly, offersFor, below } = props;
  const [refusal, setRefusal] = useState<string | null>(null);
  const namesFor = useNamesFor();
  const first = useFirst(kind, schema);
  if (schema === null) return <Skeleton lines={5} />;
  if (spec === null) return <p className="muted">The form comes back once the text can be read.</p>;
  const context: FormContext = {
    edit: (edit: FieldEdit) => {
      const outcome = editFields(text, edit);
      setRefusal(outcome.ok ? null : outcome.failure);
      if (outcome.ok) onText(outcome.value.text);
    },
    problems: problems.flatMap(({ path, message, hint }) => (path === null ? [] : [{ path, message, hint }])),
    offers: offersFor?.(spec) ?? NO_OFFERS,
    namesFor,
    words: SPEC_WORDS,
    isReadOnly,
    below: (path) => (path.at(-1) === "cron" ? <CronView timing={mapAt(spec, path)} /> : below?.(path, spec)),
  };
  return (
    <>
      <ObjectForm path={[]} schema={schema} value={spec} first={first} hidden={NOTHING_HIDDEN} context={context} />
      {refusal !== null && (
        <p className="field-problem" role="alert">
          {refusal}
        </p>
      )}
    </>
  );
}

/** Fields one thinks of first: those that must be there, and those of the sample. */
function useFirst(kind: ManifestKind, schema: JsonObject | null): readonly string[] {
  return useMemo(() => {
    const needed = keysOf(schema === null ? [] : [schema]).flatMap(({ name, isRequired }) =>
      isRequired ? [name] : [],
    );
    const thought = Object.keys(readSpecText(kind.sample).spec ?? {});
    return [...new Set([...thought, ...needed])];
  }, [kind, schema]);
}

/** The map a field stands in. */
function mapAt(spec: JsonObject, path: TreePath): JsonObject {
  return path.slice(0, -1).reduce<JsonObject>((at, segment) => {
    const next = at[String(segment)];
    return isJsonObject(next) ? next : {};
  }, spec);
}

/** What is registered, by the key that names it. */
function useNamesFor(): (key: string) => readonly string[] {
  const { agents, models, workflows } = useKnownNames();
  const webhooks = useIds("webhooks");
  return useMemo(() => {
    const names: Readonly<Record<string, readonly string[]>> = {
      agent: agents,
      model: models,
      workflow: workflows,
      to: webhooks,
    };
    return (key) => (Object.hasOwn(names, key) ? (names[key] ?? []) : []);
  }, [agents, models, workflows, webhooks]);
}
