import type { JSX } from "react";
import { plainText } from "../../../../core/text/index.ts";

export function ColumnHeads({ names }: { readonly names: readonly string[] }): JSX.Element {
  return (
    <>
      {names.map((name) => (
        <th key={name} scope="col">
          {plainText(name)}
        </th>
      ))}
    </>
  );
}
