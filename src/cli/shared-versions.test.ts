import { expect, it } from "vitest";
import { createMemoryStore } from "../store/index.ts";
import { withSharedVersions } from "./shared-versions.ts";

it("several that ask at the same time whether anything was registered ask once, and later ones again", async () => {
  const memory = createMemoryStore();
  const world = { now: 0, asked: 0, isAway: false };
  const counted = {
    ...memory,
    configVersions: async () => {
      world.asked += 1;
      if (world.isAway) throw new Error("away");
      return memory.configVersions();
    },
  };
  const store = withSharedVersions(counted, () => world.now);
  await Promise.all([store.configVersions(), store.configVersions()]);
  world.now = 499;
  await store.configVersions();
  expect(world.asked).toBe(1);
  world.now = 500;
  world.isAway = true;
  await expect(store.configVersions()).rejects.toThrow("away");
  world.isAway = false;
  await store.configVersions();
  expect(world.asked).toBe(3);
});
