import type { JsonObject } from "../../../src/core/base/index.ts";
import type { ApprovalInput, OpenApproval, UnstampedInput } from "../../../src/core/engine/index.ts";
import type { Decision } from "../../../src/core/event/index.ts";
import type { Turn } from "../engine.ts";
import { Prng } from "../prng.ts";
import type { SimRun } from "./run.ts";
import type { World } from "./world.ts";

/** The groups of each person: who is in one of those an approval asks may answer. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  "person-1": ["r0"],
  "person-2": ["r0", "r1"],
  "person-3": ["r0", "r1", "r2"],
  "person-4": ["r0"],
  stranger: [],
};

/** Under which names of a list of approvers a person answers. */
export function namesOf(person: string): readonly string[] {
  return [`user:${person}`, ...(GROUPS[person] ?? []).flatMap((group) => [`role:${group}`, `team:${group}`])];
}

/** Those who answer approvals and give what a blocked node lacks. */
export class People {
  private readonly world: World;
  private readonly asked = new Map<string, number>();

  constructor(world: World) {
    this.world = world;
  }

  ask(run: SimRun, approval: OpenApproval): void {
    const { world } = this;
    const { profile } = world;
    const place = `${run.path}/${approval.nodeId}/${approval.source}`;
    const times = (this.asked.get(place) ?? 0) + 1;
    this.asked.set(place, times);
    const rng = world.rng.fork(`person ${place} ${times}`);
    if (rng.chance(profile.ignore)) return;
    if (approval.source === "block") return;
    const delayMs = world.pace.between(50, 4_000) * (rng.chance(0.1) ? 400 : 1);
    const decision = this.decide(rng, approval);
    const people = rng.fork("people");
    if (rng.chance(profile.race)) {
      world.sometimes.hit("approval_raced");
      const other = this.decide(rng, approval);
      this.answer(
        run,
        approval,
        { delayMs: delayMs + world.pace.between(-40, 40), decision: other, by: "person-2" },
        people,
      );
    }
    if (rng.chance(profile.reject)) this.answerWrongly(run, approval, delayMs - 45, rng);
    this.answer(run, approval, { delayMs, decision, by: "person-1" }, people);
    this.followUp(run, approval, delayMs, people);
  }

  /** Where several people have to approve the others come later; some look again after a change, some answer twice. */
  private followUp(run: SimRun, approval: OpenApproval, delayMs: number, rng: Prng): void {
    if (approval.rule.quorum === 1 || rng.chance(0.1)) return;
    const others = ["person-3", "person-4", "person-2", "person-1", "person-3", "person-4"];
    for (const [index, by] of others.entries()) {
      const decision = rng.chance(0.1) ? this.decide(rng, approval) : "approve";
      this.answer(run, approval, { delayMs: delayMs + (index + 1) * rng.between(1, 900), decision, by }, rng);
    }
    if (rng.chance(0.3)) this.answer(run, approval, { delayMs: delayMs + 1, decision: "approve", by: "stranger" }, rng);
  }

  /** Sees which nodes lack a value or an agent to take them, and resolves some of them. */
  observe(run: SimRun, turn: Turn): void {
    for (const event of turn.events) {
      if (event.type !== "node.blocked" || event.payload.code === undefined) continue;
      const { nodeId, missing = [] } = event.payload;
      // Names a stream of chance: another word would give every seed another schedule.
      const place = `mend ${run.path}/${nodeId}`;
      const times = (this.asked.get(place) ?? 0) + 1;
      this.asked.set(place, times);
      const rng = this.world.rng.fork(`${place} ${times}`);
      if (times < 3 && !rng.chance(this.world.profile.ignore)) this.resolve(run, nodeId, missing, rng);
    }
  }

  private resolve(run: SimRun, nodeId: string, missing: readonly string[], rng: Prng): void {
    const { world } = this;
    const values = Object.fromEntries(missing.map((label) => [label, "something"]));
    const input: UnstampedInput = { type: "resolve", nodeId, by: "person-1", values, assignTo: "chosen" };
    world.submit(run, world.pace.between(50, 4_000), input, () => world.sometimes.hit("resolved_unbound"));
    if (rng.chance(world.profile.race)) world.submit(run, world.pace.between(50, 4_000), input);
  }

  private decide(rng: Prng, approval: OpenApproval): Decision {
    const isNo = rng.chance(this.world.profile.reject);
    const wanted: readonly Decision[] = isNo ? ["reject", "abort"] : ["approve", "retry", "skip"];
    const possible = approval.choices.filter((choice) => wanted.includes(choice));
    return rng.pick(possible.length > 0 ? possible : approval.choices);
  }

  private answer(run: SimRun, approval: OpenApproval, given: PlannedAnswer, rng: Prng): void {
    const { approvalId, digest, rule } = approval;
    const { delayMs, decision, by } = given;
    const input: Omit<ApprovalInput, "type"> = {
      approvalId,
      decision,
      by,
      personId: by,
      as: namesOf(by),
      reason: "because",
      // A page sends what it has shown, a program need not.
      ...(rule.quorum === 1 || rng.chance(0.3) ? { digest } : {}),
      ...(rule.form !== null && decision === "approve" ? { form: enteredBy(rng) } : {}),
      ...changesBy(rng, approval, decision),
    };
    this.world.submit(run, delayMs, { type: "approval", ...input });
  }

  /** Answers that must be refused: by the asking agent, by the starter of a separate gate, for other content. */
  private answerWrongly(run: SimRun, approval: OpenApproval, delayMs: number, rng: Prng): void {
    const { approvalId, agentId, digest, rule } = approval;
    const wrong: UnstampedInput[] = [
      { type: "approval", approvalId, decision: "approve", by: "person-3", digest: `${digest}x` },
      { type: "approval", approvalId, decision: "reject", by: "person-3" },
    ];
    if (agentId !== null)
      wrong.push({ type: "approval", approvalId, decision: "approve", by: "key", byAgentId: agentId });
    if (rule.isSeparate) {
      wrong.push({ type: "approval", approvalId, decision: "approve", by: "person-1", byStarter: true });
    }
    if (rule.approvers.length > 0) {
      wrong.push({ type: "approval", approvalId, decision: "approve", by: "stranger", as: namesOf("stranger") });
    }
    if (rule.form !== null) {
      wrong.push({ type: "approval", approvalId, decision: "approve", by: "person-1", form: { v: 10 } });
    }
    this.world.submit(run, delayMs, rng.pick(wrong));
  }
}

interface PlannedAnswer {
  readonly delayMs: number;
  readonly decision: Decision;
  readonly by: string;
}

/** Mostly the same: what one person has entered, the others approve. */
function enteredBy(rng: Prng): JsonObject {
  return { v: rng.chance(0.8) ? 4 : rng.between(0, 9) };
}

/** Now and then a person changes what is sent; not every node reads an `n`, and then the answer is refused. */
function changesBy(rng: Prng, approval: OpenApproval, decision: Decision): Pick<ApprovalInput, "modifications"> {
  const { subject, source, choices } = approval;
  if (source === "tool") return decision === "approve" ? aboutCall(rng, choices.includes("retry")) : {};
  if (decision !== "approve" || subject.request === null || !rng.chance(0.3)) return {};
  return Object.hasOwn(subject.request.inputs, "n") ? { modifications: { inputs: { n: rng.between(0, 2) } } } : {};
}

/** What became of a call, or other args for it. */
function aboutCall(rng: Prng, isUnknown: boolean): Pick<ApprovalInput, "modifications"> {
  if (isUnknown) return rng.chance(0.9) ? { modifications: { result: { ok: true } } } : {};
  return rng.chance(0.3) ? { modifications: { args: { n: rng.between(0, 5) } } } : {};
}
