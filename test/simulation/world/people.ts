import type { OpenApproval, UnstampedInput } from "../../../src/core/engine/index.ts";
import type { Decision } from "../../../src/core/event/index.ts";
import type { Turn } from "../engine.ts";
import { Prng } from "../prng.ts";
import type { SimRun } from "./run.ts";
import type { World } from "./world.ts";

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
    if (rng.chance(profile.race)) {
      world.sometimes.hit("approval_raced");
      this.answer(run, approval, delayMs + world.pace.between(-40, 40), this.decide(rng, approval), "person-2");
    }
    if (rng.chance(profile.reject)) this.answerWrongly(run, approval, delayMs - 45, rng);
    this.answer(run, approval, delayMs, decision, "person-1");
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

  private answer(run: SimRun, approval: OpenApproval, delayMs: number, decision: Decision, by: string): void {
    const { approvalId, digest } = approval;
    this.world.submit(run, delayMs, { type: "approval", approvalId, decision, by, reason: "because", digest });
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
    this.world.submit(run, delayMs, rng.pick(wrong));
  }
}
