import { type JSX, useState } from "react";
import type { NodeView } from "../../../../core/view/index.ts";
import { Button } from "../../../parts/button.tsx";
import { spanText } from "../../../parts/figures.ts";
import { nodeLook, StatusIcon } from "../../../parts/status.tsx";
import { plainText } from "../../../../core/text/index.ts";
import { countGroups, type StatusGroup, statusGroup } from "../../../run/model/status-groups.ts";
import { useRunView } from "../../../run/nodes-page.ts";
import { StatusFilter } from "../../../run/status-filter.tsx";
import { useRunPage } from "../run-page.ts";
import { Section } from "./section.tsx";

const SHOWN = 50;

/** The instances or rounds of a node, filtered by status. Failed ones show their error. */
export function Instances({ nodeId }: { readonly nodeId: string }): JSX.Element | null {
  const { nodes, selectNode } = useRunPage();
  const view = useRunView();
  const [group, setGroup] = useState<StatusGroup | null>(null);
  const [shown, setShown] = useState(SHOWN);
  const ids = nodes.find(({ id }) => id === nodeId)?.instances ?? [];
  if (ids.length === 0) return null;
  const instances = ids.flatMap((id) => view.nodes.get(id) ?? []);
  const wanted = instances.filter((each) => group === null || statusGroup(nodeLook(each)) === group);
  const isRepeated = view.nodes.get(nodeId)?.isRepeated === true;
  return (
    <Section title={isRepeated ? "Rounds" : "Instances"}>
      <StatusFilter
        label={isRepeated ? "Filter rounds" : "Filter instances"}
        counts={countGroups(instances.map(nodeLook))}
        value={group}
        onChange={setGroup}
      />
      <ul className="instances">
        {wanted.slice(0, shown).map((each) => (
          <li key={each.id}>
            <StatusIcon status={nodeLook(each)} size={13} />
            <button type="button" className="link-button" onClick={() => selectNode(each.id)}>
              {plainText(each.title)}
            </button>
            <span className="muted cut">{plainText(noteOf(each))}</span>
          </li>
        ))}
      </ul>
      {wanted.length > shown && (
        <Button size="small" onClick={() => setShown(shown * 4)}>
          Show more of {wanted.length}
        </Button>
      )}
    </Section>
  );
}

function noteOf({ errorCode, errorMessage, durationMs }: NodeView): string {
  if (errorCode !== null) return errorMessage === null ? errorCode : `${errorCode}: ${errorMessage}`;
  return durationMs === null ? "" : spanText(durationMs);
}
