import type { OrganisationPause, Run, Workflow } from "../contract/index.ts";
import { NEEDS } from "./answer-needs.ts";
import type { Asked, Needs } from "./caller.ts";
import { encode } from "./query.ts";

/** The members of `Caller` with which requests are sent here. */
interface Door {
  ask<T>(method: string, path: string, asked: Asked, needs: Needs): Promise<T>;
}

const ORGANISATION: Needs = ["id", "paused"];

/** Part of the API that pauses and resumes. During a pause nothing new is dispatched, and nothing is lost. */
export class PauseClient {
  readonly #door: Door;

  constructor(door: Door) {
    this.#door = door;
  }

  /** Pauses a run with its child runs. */
  pauseRun(runId: string, reason?: string): Promise<Run> {
    return this.#door.ask("POST", `/runs/${encode(runId)}/pause`, { body: { reason } }, NEEDS.run);
  }

  resumeRun(runId: string, reason?: string): Promise<Run> {
    return this.#door.ask("POST", `/runs/${encode(runId)}/resume`, { body: { reason } }, NEEDS.run);
  }

  /** Pauses a workflow with all its runs. A paused workflow accepts no new runs. */
  pauseWorkflow(name: string, reason?: string): Promise<Workflow> {
    return this.#door.ask("POST", `/workflows/${encode(name)}/pause`, { body: { reason } }, NEEDS.workflow);
  }

  resumeWorkflow(name: string, reason?: string): Promise<Workflow> {
    return this.#door.ask("POST", `/workflows/${encode(name)}/resume`, { body: { reason } }, NEEDS.workflow);
  }

  pauseOrganisation(id: string, reason?: string): Promise<OrganisationPause> {
    return this.#door.ask("POST", `/organisations/${encode(id)}/pause`, { body: { reason } }, ORGANISATION);
  }

  resumeOrganisation(id: string, reason?: string): Promise<OrganisationPause> {
    return this.#door.ask("POST", `/organisations/${encode(id)}/resume`, { body: { reason } }, ORGANISATION);
  }
}
