import { expect, it } from "vitest";
import { createMemoryStore } from "../../store/index.ts";
import { evaluateTrigger } from "./evaluate.ts";
import { triggersForEvents } from "./event-triggers.ts";

it("the triggers that wait for a type of event are found, and see the event as their body", async () => {
  const store = createMemoryStore();
  const put = (id: string, body: object) => store.putEntry("org_1", "trigger", id, { workflow: "w", ...body }, 1);
  await put("paid", {
    on: { event: { type: "order.paid", match: { region: "eu" } } },
    args: { id: "${body.data.id}" },
  });
  await put("default", { on: { event: { type: "order.paid" } } });
  await put("other", { on: { event: { type: "order.lost" } } });
  await put("off", { on: { event: { type: "order.paid" } }, enabled: false });
  await put("form", { on: { form: {} } });
  const found = (await triggersForEvents(store, "org_1")).get("order.paid") ?? [];
  expect(found.map(({ name, on }) => [name, on.kind === "event" ? on.match : undefined])).toEqual([
    ["default", null],
    ["paid", { region: "eu" }],
  ]);
  expect((await triggersForEvents(store, "org_2")).size).toBe(0);
  const body = { type: "order.paid", key: { region: "eu" }, data: { id: 7 }, id: "evt_1" };
  const args = found.map((trigger) => evaluateTrigger(trigger, { body, headers: {}, query: {} }, { id: {} }));
  expect(args).toEqual([
    { kind: "args", args: { id: 7 }, labels: {}, limit: null },
    { kind: "args", args: { id: 7 }, labels: {}, limit: null },
  ]);
});
