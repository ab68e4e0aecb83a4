import type { JSX } from "react";
import type { Run } from "../../client/index.ts";
import { navigate } from "../page/router.tsx";
import { Button } from "./button.tsx";
import { compareInOrder } from "./compare-address.ts";

/** Button that compares the two runs selected in a list. */
export function CompareButton({ runs }: { readonly runs: readonly Run[] }): JSX.Element {
  const [one, other, ...more] = runs;
  const isTwo = one !== undefined && other !== undefined && more.length === 0;
  return (
    <Button
      size="small"
      icon="compare"
      disabled={!isTwo}
      title={isTwo ? "Look at both beside each other" : "Choose exactly two runs to compare them"}
      onClick={() => isTwo && navigate(compareInOrder(one, other))}
    >
      Compare
    </Button>
  );
}
