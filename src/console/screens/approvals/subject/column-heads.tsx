import type { JSX } from "react";

export function ColumnHeads({ names }: { readonly names: readonly string[] }): JSX.Element {
  return (
    <>
      {names.map((name) => (
        <th key={name} scope="col">
          {name}
        </th>
      ))}
    </>
  );
}
