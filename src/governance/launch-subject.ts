import type { Json, JsonObject } from "../core/base/index.ts";
import { digestSubject, shownMembers, withinLimit } from "../core/engine/index.ts";
import type { Subject } from "../core/event/index.ts";
import type { HoldReason } from "../core/governance/index.ts";

/** The part of a launch request that is shown to approvers. */
export interface AskedLaunch {
  /** For example `vendor-review version 3`. */
  readonly what: string;
  readonly workflow: string;
  readonly version: number | null;
  readonly by: string;
  readonly purpose: string | null;
  /** The agent that owns the key of the start, with its trust. Null when no agent does. */
  readonly agent: Subject["agent"];
  readonly args: JsonObject;
  /** Gateway, model, role bindings and team, where the caller set them. */
  readonly named: readonly (readonly [string, Json])[];
  readonly reasons: readonly HoldReason[];
  readonly quorum: number;
}

/** Returns the subject shown to the approver of a run that does not exist yet. */
export function launchSubject(launch: AskedLaunch): { readonly subject: Subject; readonly subjectDigest: string } {
  const { what, workflow, version, by, purpose, agent, named, reasons } = launch;
  const shown = shownMembers(Object.fromEntries(named), "launch");
  const after = launch.quorum === 1 ? "" : `Once ${launch.quorum} people have approved: `;
  const subject = withinLimit({
    title: `Start ${what}?`,
    workflow,
    version,
    startedBy: by,
    trigger: purpose ?? "start",
    args: shownMembers(launch.args, "args"),
    request: null,
    shown: Object.entries(shown).map(([label, value]) => ({ label, kind: "value", value })),
    parents: {},
    costMicros: 0,
    estimateMicros: null,
    policies: reasons.map((reason) => ({ ...reason })),
    agent,
    action: null,
    answers: [
      { decision: "approve", effect: `${after}the same start passes once, when ${by} tries it again.` },
      { decision: "reject", effect: "Nothing is started." },
    ],
  });
  return { subject, subjectDigest: digestSubject(subject) };
}
