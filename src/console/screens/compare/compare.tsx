import { type JSX, useEffect } from "react";
import { eventOfFrame } from "../../../client/index.ts";
import { Link, navigate } from "../../page/router.tsx";
import type { ScreenProps } from "../../page/screen-props.ts";
import { api } from "../../live/api.ts";
import { useQuery } from "../../live/use-query.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { shortId } from "../../parts/short-id.ts";
import { Skeleton } from "../../parts/skeleton.tsx";
import { compareAddress } from "../../parts/compare-address.ts";
import { Both } from "./both.tsx";
import type { EditedPrompts } from "./comparison.ts";
import { RunPicker } from "./run-picker.tsx";
import "./compare.css";

/** Compares two runs side by side: settings, cost, and the result of each node. */
export function CompareScreen({ params }: ScreenProps): JSX.Element {
  const id = params["id"] ?? "";
  const other = params["other"];
  const own = useRun(id);
  const origin = own.data?.sourceRunId;
  // A restart or a branch is most likely compared with the run it came from.
  useEffect(() => {
    if (other === undefined && origin !== undefined) navigate(compareAddress(origin, id), { replace: true });
  }, [other, origin, id]);
  if (own.data === undefined) return <Waiting problem={own.problem} onRetry={own.refresh} />;
  if (other === undefined) {
    return origin === undefined ? (
      <>
        <PageHead title="Compare runs" trail={<Trail ids={[id]} />} />
        <RunPicker run={own.data} />
      </>
    ) : (
      <Waiting problem={null} onRetry={own.refresh} />
    );
  }
  return <Comparison leftId={id} rightId={other} />;
}

function Comparison({ leftId, rightId }: { readonly leftId: string; readonly rightId: string }): JSX.Element {
  const [left, right] = [useRun(leftId), useRun(rightId)];
  const [leftState, rightState] = [useRunState(leftId), useRunState(rightId)];
  const [before, after] = [usePrompts(leftId), usePrompts(rightId)];
  const all = [left, right, leftState, rightState];
  const problem = all.find((each) => each.data === undefined && each.problem !== null)?.problem ?? null;
  const again = async (): Promise<void> => void (await Promise.all(all.map((each) => each.refresh())));
  if (
    left.data === undefined ||
    right.data === undefined ||
    leftState.data === undefined ||
    rightState.data === undefined
  ) {
    return <Waiting problem={problem} onRetry={again} />;
  }
  return (
    <>
      <PageHead
        title="Compare runs"
        trail={<Trail ids={[leftId, rightId]} />}
        actions={
          <>
            <Button icon="compare" onClick={() => navigate(compareAddress(rightId, leftId))}>
              Swap sides
            </Button>
            <Button icon="search" onClick={() => navigate(compareAddress(rightId))}>
              Another run
            </Button>
          </>
        }
      />
      {left.data.workflow !== right.data.workflow && (
        <p className="note">These runs are of different workflows: nodes are matched by their ids.</p>
      )}
      <Both
        left={{ run: left.data, state: leftState.data, prompts: before }}
        right={{ run: right.data, state: rightState.data, prompts: after }}
      />
    </>
  );
}

function useRun(id: string) {
  return useQuery(`run ${id}`, () => api.getRun(id), { tags: [`run:${id}`] });
}

function useRunState(id: string) {
  return useQuery(`state ${id}`, () => api.getState(id), { tags: [`run:${id}`] });
}

/** Reads the edited prompts of a run. A replayed run records them in its start event. */
function usePrompts(id: string): EditedPrompts | undefined {
  return useQuery(`prompts of ${id}`, async () => {
    const { data } = await api.listEvents(id, { limit: 1 });
    const [first] = data.flatMap((frame) => eventOfFrame(frame) ?? []);
    const prompts = first?.type === "run.started" ? first.payload.prompts : undefined;
    return Object.fromEntries(Object.entries(prompts ?? {}).map(([nodeId, { text }]) => [nodeId, text]));
  }).data;
}

function Trail({ ids }: { readonly ids: readonly string[] }): JSX.Element {
  return (
    <span>
      <Link to="/runs">Runs</Link>
      {ids.map((id) => (
        <span key={id}>
          {" / "}
          <Link to={`/runs/${encodeURIComponent(id)}`} title={id}>
            <code>{shortId(id)}</code>
          </Link>
        </span>
      ))}
    </span>
  );
}

interface WaitingProps {
  readonly problem: Error | null;
  readonly onRetry: () => Promise<void>;
}

function Waiting({ problem, onRetry }: WaitingProps): JSX.Element {
  return (
    <>
      <PageHead title="Compare runs" />
      {problem === null ? (
        <Skeleton lines={8} height={28} />
      ) : (
        <Empty icon="warn" title="These runs cannot be compared" command="sluice runs list">
          <ProblemView problem={problem} onRetry={() => void onRetry()} />
        </Empty>
      )}
    </>
  );
}
