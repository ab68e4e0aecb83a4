import { testSchedules } from "./standing.ts";

testSchedules(1, 5_000);
