import { type JSX, type ReactNode, useMemo, useState } from "react";
import { isJsonObject, type JsonObject, type TreePath } from "../../core/base/index.ts";
import { editFields, type FieldEdit, valueAt } from "../../core/edit/index.ts";
import { keysOf } from "../editor/schema-walk.ts";
import type { FormContext, ReferenceOffer } from "../form/form-context.ts";
import { ObjectForm } from "../form/object-form.tsx";
import type { Query } from "../live/use-query.ts";
import { ProblemView } from "../parts/problem-view.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { CronView } from "./cron-view.tsx";
import type { ManifestKind } from "./manifest-kind.ts";
import { readSpecText, type SpecProblem } from "./spec-text.ts";
import { SPEC_WORDS } from "./spec-words.ts";
import { useIds, useKnownNames } from "./use-known-names.ts";

/** Additions of a kind to its form. */
export interface SpecFormParts {
  /** Values that expressions of the kind may reference. */
  readonly offersFor?: ((spec: JsonObject) => readonly ReferenceOffer[]) | undefined;
  /** Content shown below a field while it is filled in. */
  readonly below?: ((path: TreePath, spec: JsonObject) => ReactNode) | undefined;
}

interface SpecFormProps extends SpecFormParts {
  readonly kind: ManifestKind;
  readonly text: string;
  readonly onText: (text: string) => void;
  /** The schema of the kind. */
  readonly read: Query<JsonObject | null>;
  /** Null while the text is not readable. */
  readonly spec: JsonObject | null;
  readonly problems: readonly SpecProblem[];
  readonly isReadOnly: boolean;
}

const NOTHING_HIDDEN: ReadonlySet<string> = new Set();
const NO_OFFERS: readonly ReferenceOffer[] = [];

/** Form for the spec of a manifest. Changes are made in the text, so that its comments and order are kept. */
export function SpecForm(props: SpecFormProps): JSX.Element {
  const { kind, text, onText, read, spec, problems, isReadOnly, offersFor, below } = props;
  const [refusal, setRefusal] = useState<string | null>(null);
  const namesFor = useNamesFor();
  const schema = read.data ?? null;
  const first = useFirst(kind, schema);
  if (schema === null && read.problem !== null)
    return <ProblemView problem={read.problem} onRetry={() => void read.refresh()} />;
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
    below: (path) => (path.at(-1) === "cron" ? <CronView timing={mapAround(spec, path)} /> : below?.(path, spec)),
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

/** Returns the most important fields: the required ones, and those of the sample. */
function useFirst(kind: ManifestKind, schema: JsonObject | null): readonly string[] {
  return useMemo(() => {
    const needed = keysOf(schema === null ? [] : [schema]).flatMap(({ name, isRequired }) =>
      isRequired ? [name] : [],
    );
    const thought = Object.keys(readSpecText(kind.sample).spec ?? {});
    return [...new Set([...thought, ...needed])];
  }, [kind, schema]);
}

/** Returns the map that contains a field, also inside a list. */
function mapAround(spec: JsonObject, path: TreePath): JsonObject {
  const around = valueAt(spec, path.slice(0, -1));
  return isJsonObject(around) ? around : {};
}

/** Returns a function from a key to the names of registered objects that fit it. */
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
