import type { JSX } from "react";
import type { ValueRef } from "../../../../client/index.ts";
import { api } from "../../../live/api.ts";
import { useAction } from "../../../page/use-action.ts";
import { Button } from "../../../parts/button.tsx";
import { Empty } from "../../../parts/empty.tsx";
import { grouped } from "../../../parts/figures.ts";
import { ProblemView } from "../../../parts/problem-view.tsx";
import { useNodeView } from "../../../run/nodes-page.ts";
import { useRunPage } from "../run-page.ts";
import { saveAs } from "../save-as.ts";
import { ModelText } from "../../../run/model-text.tsx";
import type { DetailedNode } from "../../../run/model/node-detail.ts";
import { EditButton, EditedNote } from "./edit-button.tsx";
import { FilesOf } from "./file-view.tsx";
import { Values } from "./prompt-tab.tsx";
import { Section } from "./section.tsx";

interface TabProps {
  readonly nodeId: string;
  readonly detail: DetailedNode | undefined;
}

/** The result of the node, or its output so far. */
export function ResultTab({ nodeId, detail }: TabProps): JSX.Element | null {
  const node = useNodeView(nodeId);
  const { feed } = useRunPage();
  if (node === undefined) return null;
  const isWorking = node.status === "running" || node.status === "streaming";
  const refs = feed.pinnedAt === null ? (detail?.node.refs ?? []) : [];
  if (!isWorking && node.outputs === null && node.output === null) {
    return (
      <Empty icon="ring" title="No result">
        {node.errorCode === null ? "It appears here as soon as there is one." : `It ended with ${node.errorCode}.`}
      </Empty>
    );
  }
  const isOwn = node.status === "completed" && (node.attempts > 0 || node.isCarried) && node.childRunId === null;
  return (
    <>
      <EditedNote by={node.isCarried ? (detail?.resultBy ?? null) : null} what="this result" />
      {isWorking && (
        <Section title="Current output">
          <ModelText label="Streamed text" text={node.streamedText} isGrowing />
        </Section>
      )}
      {node.output !== null && (
        <Section title="Text">
          <ModelText label="Output text" text={node.output} />
        </Section>
      )}
      {node.outputs !== null && Object.keys(node.outputs).length > 0 && (
        <Section title="Outputs">
          <Values values={node.outputs} />
        </Section>
      )}
      {isOwn && refs.length === 0 && node.instance === null && (
        <EditButton action={{ kind: "edit-output", nodeId, outputs: node.outputs ?? {}, text: node.output ?? "" }} />
      )}
      {node.outputs !== null && <FilesOf values={node.outputs} />}
      {refs.map((ref) => (
        <LargeValue key={ref.hash} value={ref} />
      ))}
    </>
  );
}

function LargeValue({ value }: { readonly value: ValueRef }): JSX.Element {
  const name = value.path.join(".");
  const loading = useAction(async () => saveAs(`${name}.json`, JSON.stringify(await api.getBlob(value.hash))));
  return (
    <Section title={name}>
      <p className="muted">
        A large value of {grouped(value.bytes)} bytes is kept apart.{" "}
        <Button size="small" icon="download" isBusy={loading.isBusy} onClick={() => void loading.run()}>
          Download
        </Button>
      </p>
      {loading.problem !== null && <ProblemView problem={loading.problem} />}
    </Section>
  );
}
