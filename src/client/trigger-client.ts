import type {
  ListPage,
  NextSlots,
  PageOptions,
  TimingQuery,
  TriggerSample,
  TriggerAnswer,
  TriggerDelivery,
  TriggerTest,
} from "../contract/index.ts";
import type { Door, Needs } from "./caller.ts";
import { encode } from "./query.ts";

const ANSWER: Needs = ["started"];

/** The part of the API that is about what starts runs; triggers themselves are registered like everything else. */
export class TriggerClient {
  readonly #door: Door;

  constructor(door: Door) {
    this.#door = door;
  }

  /** What a delivery would do; nothing is started. */
  test(trigger: string, sample: TriggerSample = {}): Promise<TriggerTest> {
    return this.#door.ask("POST", `/triggers/${encode(trigger)}/test`, { body: sample }, ["starts", "problems"]);
  }

  fire(trigger: string, sample: TriggerSample = {}): Promise<TriggerAnswer> {
    return this.#door.ask("POST", `/triggers/${encode(trigger)}/fire`, { body: sample }, ANSWER);
  }

  /** Starts the run of a schedule now, besides its slots. */
  runNow(schedule: string): Promise<TriggerAnswer> {
    return this.#door.ask("POST", `/schedules/${encode(schedule)}/run-now`, {}, ANSWER);
  }

  /** When a cron is due next, without a schedule. */
  nextSlots(timing: TimingQuery): Promise<NextSlots> {
    return this.#door.ask("GET", "/next-slots", { query: { ...timing } }, ["nextSlots"]);
  }

  listDeliveries(trigger: string, page: PageOptions = {}): Promise<ListPage<TriggerDelivery>> {
    return this.#door.list(`/triggers/${encode(trigger)}/deliveries`, { query: { ...page } });
  }
}
