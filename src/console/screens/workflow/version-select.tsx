import type { JSX } from "react";
import { Field } from "../../parts/field.tsx";
import { Select } from "../../parts/select.tsx";

const OFFERED_MAX = 200;

interface VersionSelectProps {
  readonly label: string;
  readonly value: number;
  readonly latest: number;
  readonly onChange: (value: string) => void;
}

/** Offers the newest versions of a workflow and the selected version. */
export function VersionSelect({ label, value, latest, onChange }: VersionSelectProps): JSX.Element {
  const offered = Array.from({ length: Math.min(latest, OFFERED_MAX) }, (_, index) => latest - index);
  const options = [...new Set([...offered, value])].map(
    (each) => [String(each), each === latest ? `${each} (newest)` : String(each)] as const,
  );
  return (
    <Field label={label}>
      <Select value={String(value)} options={options} onChange={onChange} />
    </Field>
  );
}
