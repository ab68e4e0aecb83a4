import type { JSX } from "react";
import type { Registered } from "../../../client/index.ts";
import { Link } from "../../page/router.tsx";
import { useRegistered } from "../../live/use-registered.ts";
import { Empty } from "../../parts/empty.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Badge } from "../../parts/status.tsx";
import { SlotsView } from "../../manifest/slots-view.tsx";
import { cronWords } from "../../manifest/cron-words.ts";
import { timingText } from "../../manifest/timing-text.ts";

export function SchedulesTab({ name }: { readonly name: string }): JSX.Element {
  const found = useRegistered("schedules");
  if (found.data === undefined) return found.problem === null ? <Skeleton /> : <ProblemView problem={found.problem} />;
  const own = found.data.filter(({ workflow }) => workflow === name);
  const add = `/settings/schedules/-?workflow=${encodeURIComponent(name)}`;
  if (own.length === 0) {
    return (
      <Empty icon="clock" title="It has no schedule" action={<Link to={add}>New schedule</Link>}>
        A schedule starts one run per slot, however many servers there are.
      </Empty>
    );
  }
  return (
    <div className="stack">
      {own.map((schedule) => (
        <Panel
          key={schedule.id}
          title={schedule.id}
          actions={<Link to={`/settings/schedules/${encodeURIComponent(schedule.id)}`}>Edit</Link>}
        >
          <p className="row">
            <TimingWords schedule={schedule} />
            {schedule["enabled"] === false && <Badge tone="warn">disabled</Badge>}
          </p>
          <SlotsView scheduleId={schedule.id} />
        </Panel>
      ))}
      <Link to={add}>New schedule</Link>
    </div>
  );
}

/** Shows the timing as written, and in words if it is a cron expression that can be described. */
function TimingWords({ schedule }: { readonly schedule: Registered }): JSX.Element {
  const words = typeof schedule["cron"] === "string" ? cronWords(schedule["cron"]) : null;
  return (
    <>
      {words !== null && <strong>{words}</strong>}
      <code className={words === null ? "" : "muted"}>{timingText(schedule)}</code>
    </>
  );
}
