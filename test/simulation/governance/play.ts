import { isTerminal } from "../../../src/core/event/index.ts";
import { digestText } from "../../../src/core/base/index.ts";
import { createVirtualClock, type VirtualClock } from "../../../src/clock/index.ts";
import { createMemoryStore, type Store } from "../../../src/store/index.ts";
import { launch, openReplica, ORG, register, type Replica } from "../../integration/support/governed.ts";
import { Prng } from "../prng.ts";
import { seededAdapter } from "./adapter.ts";
import { Books, type KnownChild } from "./books.ts";
import type { GovernanceChecker } from "./checker.ts";
import { GOVERNANCE_CHECKERS } from "./checkers.ts";
import { type Act, agentManifest, CALM, drawScene, manifestsOf, policyManifest, type Scene } from "./scene.ts";
import { preparerOf, childReport } from "./families.ts";
import type { PlayOptions, PlayReport } from "./play-report.ts";
import { bindingManifest } from "./roles.ts";
import { asViolation, Link, Watch } from "./watched-store.ts";

/** Shorter than a node may wait at a gate: who is never woken must not be let off by giving up. */
const KIND_MS_MAX = 240_000;

/** Plays the schedule of one seed over the memory store and says what broke, if anything did. */
export async function playGoverned(seed: number, options: PlayOptions = {}): Promise<PlayReport> {
  const stage = new Stage(seed, options);
  try {
    await stage.play();
  } catch (error) {
    stage.watch.violation ??= asViolation(error);
  }
  await stage.close();
  return stage.report();
}

class Stage {
  readonly #seed: number;
  readonly #options: PlayOptions;
  readonly #dice: Prng;
  readonly #scene: Scene;
  readonly #books: Books;
  readonly #clock: VirtualClock;
  readonly #store: Store;
  readonly #replicas: { replica: Replica; link: Link }[] = [];
  readonly #runs: string[] = [];
  readonly #troubles: string[] = [];
  readonly #checkers: readonly GovernanceChecker[];
  readonly watch: Watch;
  #isKind = false;
  #policies = 1;

  constructor(seed: number, options: PlayOptions) {
    this.#seed = seed;
    this.#options = options;
    this.#dice = new Prng(seed);
    this.#scene = drawScene(this.#dice.fork("scene"));
    this.#books = new Books(this.#scene);
    const { faults } = this.#scene;
    this.#books.isDisturbed = faults.slow > 0;
    this.#clock = createVirtualClock(this.#scene.startAt);
    this.#store = createMemoryStore({ now: () => this.#clock.now() });
    this.#checkers = options.checkers ?? GOVERNANCE_CHECKERS;
    this.watch = new Watch(this.#store, this.#books, this.#checkers, this.#clock);
  }

  async play(): Promise<void> {
    const { scene, clock } = { scene: this.#scene, clock: this.#clock };
    await register(this.#store, manifestsOf(scene), clock.now());
    await this.#store.ensureOrganisation(ORG);
    for (const { source } of scene.workflows)
      await this.#store.putDefinition(ORG, digestText(source), { source, catalog: null });
    for (let index = 0; index < scene.replicas; index += 1) await this.#wait(this.#open(index));
    const doing: Promise<void>[] = [];
    for (const { afterMs, act } of scene.acts) {
      await this.#pass(scene.startAt + afterMs - clock.now());
      if (this.watch.violation !== null) return;
      doing.push(this.#do(act));
    }
    this.#isKind = true;
    await this.#openPlatform();
    await this.#wait(Promise.all(doing));
    await this.#settle();
    await this.#judgeEnd();
  }

  report(): PlayReport {
    const { starts, answers } = this.#books;
    const trace = starts.map(({ runId, nodeId, attempt, at }) => `${this.#placeOf(runId)}/${nodeId}/${attempt}@${at}`);
    const isBounded = ({ admitted }: (typeof starts)[number]): boolean =>
      admitted.some(({ boundBy }) => boundBy !== null);
    return {
      seed: this.#seed,
      violation: this.watch.violation,
      runs: this.#runs.length,
      starts: starts.length,
      waits: this.#books.waits,
      answers: answers.size,
      micros: this.#books.reportedMicros,
      bounded: starts.filter(isBounded).length,
      lateReports: this.#books.lateReports,
      trace: trace.join(" "),
    };
  }

  async close(): Promise<void> {
    for (const { replica, link } of this.#replicas) {
      link.isDead = true;
      replica.governance.stop();
      void replica.driver.stop().catch(() => undefined);
    }
  }

  async #open(index: number): Promise<void> {
    const { lie, disguise, tamper = (batch) => batch } = this.#options;
    const link = new Link({
      store: lie === undefined ? this.#store : lie(this.#store),
      watch: this.watch,
      clock: this.#clock,
      dice: this.#dice.fork(`link ${index} ${this.#clock.now()}`),
      faults: () => (this.#isKind ? CALM : this.#scene.faults),
      tamper,
    });
    const chance = this.#dice.fork(`jitter ${index}`);
    const opening = openReplica({
      store: link.store,
      clock: this.#clock,
      adapter: seededAdapter(this.#seed, this.#clock),
      isAlone: this.#scene.replicas === 1,
      troubles: this.#troubles,
      jitter: () => chance.float(),
      children: () => preparerOf(this.#scene.workflows),
      ...(disguise === undefined ? {} : { disguise }),
    });
    this.#replicas[index] = { replica: await opening, link };
  }

  async #do(act: Act): Promise<void> {
    const { workflows, agents, bindings, heldStep } = this.#scene;
    switch (act.kind) {
      case "launch": {
        const workflow = workflows[act.workflow];
        const on = this.#replicas[act.replica];
        if (workflow === undefined || on === undefined) return;
        const place = this.#runs.push("") - 1;
        const launched = launch(on.replica.driver, this.#store, workflow.source, { workflow: workflow.name });
        // A launch at a replica that dies may be lost: the caller got no answer.
        this.#runs[place] = await Promise.race([launched, on.link.died]).catch(() => "");
        return;
      }
      case "cancel": {
        const runId = this.#runs[act.run] ?? "";
        if (runId !== "") await this.#submit(act.replica, runId, { type: "cancel", reason: "enough" });
        return;
      }
      case "answer":
        return this.#answer(act.pick, act.isYes);
      case "slots": {
        const agent = agents[act.agent];
        if (agent === undefined) return;
        const { maxConcurrent } = act;
        this.#books.isDisturbed = true;
        this.#books.slotHistory.get(agent.id)?.push({ at: this.#clock.now(), slots: maxConcurrent });
        return register(this.#store, [agentManifest(agent, maxConcurrent)], this.#clock.now());
      }
      case "bound": {
        const binding = bindings[act.binding];
        if (binding === undefined) return;
        const { micros } = act;
        this.#books.boundHistory.get(binding.id)?.push({ at: this.#clock.now(), micros });
        return register(this.#store, [bindingManifest(binding, micros)], this.#clock.now());
      }
      case "report_again":
        return this.#reportAgain(act.pick, act.isOutdated);
      case "policy":
        this.#policies += 1;
        if (heldStep === null) return;
        return register(this.#store, [policyManifest(heldStep, `version ${this.#policies}`)], this.#clock.now());
      case "close":
        this.#books.closings.push({ from: this.#clock.now(), until: Number.POSITIVE_INFINITY });
        return this.#store.putPlatform(ORG, { isOpen: false, reason: "drill" });
      case "open":
        return this.#openPlatform();
      case "crash":
        return this.#crash(act.replica);
    }
  }

  async #crash(index: number): Promise<void> {
    const dying = this.#replicas[index];
    if (dying === undefined) return;
    this.#books.isDisturbed = true;
    dying.link.die();
    dying.replica.governance.stop();
    void dying.replica.driver.stop().catch(() => undefined);
    await this.#open(index);
  }

  async #openPlatform(): Promise<void> {
    for (const closing of this.#books.closings) closing.until = Math.min(closing.until, this.#clock.now());
    await this.#store.putPlatform(ORG, { isOpen: true, reason: null });
  }

  /** Two people answer the same question at the same moment, one at each replica. */
  async #answer(pick: number, isYes: boolean): Promise<void> {
    const { data } = await this.#store.listApprovals(ORG, "pending", { limit: 50, cursor: null });
    // Ids are by chance, places are not.
    const placeOf = ({ runId, nodeId }: (typeof data)[number]): string => `${this.#placeOf(runId)}/${nodeId}`;
    const sorted = data.toSorted((left, right) => (placeOf(left) < placeOf(right) ? -1 : 1));
    const approval = sorted[pick % Math.max(1, data.length)];
    if (approval === undefined) return;
    const { id: approvalId, runId } = approval;
    const decision = isYes ? ("approve" as const) : ("reject" as const);
    await Promise.all(
      ["ada", "bob"].map(async (by, index) => {
        const input = { type: "approval", approvalId, decision, by, reason: "so it is" } as const;
        const isTaken = await this.#submit(index % this.#replicas.length, runId, input);
        if (isTaken) this.#books.answers.set(approvalId, (this.#books.answers.get(approvalId) ?? 0) + 1);
      }),
    );
  }

  /** The report of a child that has ended comes once more, to any replica, perhaps as it was at its end. */
  async #reportAgain(pick: number, isOutdated: boolean): Promise<void> {
    const placeOf = ({ runId }: KnownChild): string => this.#placeOf(runId);
    const known = [...this.#books.children.values()].toSorted((left, right) =>
      placeOf(left) < placeOf(right) ? -1 : 1,
    );
    const child = known[pick % Math.max(1, known.length)];
    const run = child === undefined ? undefined : await this.#store.getRun(ORG, child.runId);
    if (child === undefined || run === undefined || !isTerminal(run.status)) return;
    const cost = isOutdated ? this.#books.costAtEnd.get(child.runId) : undefined;
    await this.#submit(
      pick % this.#replicas.length,
      child.parentRunId,
      childReport(child, run, cost ?? run.costMicros),
    );
  }

  /** Ids are by chance: a run is known by its launch, and a child by where its parent stood when it began. */
  #placeOf(runId: string): string {
    const launched = this.#runs.findIndex((id) => id !== "" && runId.startsWith(id));
    return `${launched}${runId.slice(this.#runs[launched]?.length ?? runId.length)}`;
  }

  async #submit(index: number, runId: string, input: Parameters<Replica["driver"]["submit"]>[2]): Promise<boolean> {
    const on = this.#replicas[index];
    if (on === undefined) return false;
    const outcome = await Promise.race([on.replica.driver.submit(ORG, runId, input), on.link.died]).catch(() => "");
    return typeof outcome === "object" && outcome.refusal === undefined;
  }

  /** With nothing in the way any more, everything ends. */
  async #settle(): Promise<void> {
    const until = this.#clock.now() + KIND_MS_MAX;
    while (this.#clock.now() < until && this.watch.violation === null) {
      const { data } = await this.#store.listRuns(ORG, { status: "running" }, { limit: 1, cursor: null });
      if (data.length === 0) return;
      await this.#wait(this.#answer(0, true));
      await this.#pass(1_000);
    }
  }

  async #judgeEnd(): Promise<void> {
    // What was called off may still report what it cost.
    await this.#pass(70_000);
    if (this.watch.violation !== null) return;
    for (const checker of this.#checkers) await checker.atEnd?.({ books: this.#books, store: this.#store });
  }

  async #wait<T>(promise: Promise<T>): Promise<T> {
    let isDone = false;
    const settled = promise.finally(() => {
      isDone = true;
    });
    settled.catch(() => undefined);
    await this.#clock.run(() => isDone);
    return settled;
  }

  async #pass(ms: number): Promise<void> {
    if (ms > 0) await this.#wait(new Promise<void>((resolve) => void this.#clock.after(ms, resolve)));
  }
}
