import { createMemoryStore, type Store } from "../../src/store/index.ts";
import { testStore } from "./store-contract.ts";

testStore("memory", async () => {
  let passed = 0;
  const fresh = (): Store => createMemoryStore({ now: () => 1_700_000_000_000 + passed });
  let store = fresh();
  return {
    get store() {
      return store;
    },
    get rival() {
      return store;
    },
    passTime: async (ms) => {
      passed += ms;
    },
    reset: async () => {
      store = fresh();
    },
    close: () => store.close(),
  };
});
