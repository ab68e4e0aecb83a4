import type { JSX, ReactNode } from "react";

interface SectionProps {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, aside, children }: SectionProps): JSX.Element {
  return (
    <section className="node-section">
      <div className="spread">
        <h3>{title}</h3>
        {aside}
      </div>
      {children}
    </section>
  );
}

interface PairsProps {
  readonly pairs: readonly (readonly [name: string, value: ReactNode])[];
}

/** A list of names and values in two columns. */
export function Pairs({ pairs }: PairsProps): JSX.Element {
  return (
    <dl className="pairs">
      {pairs.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
