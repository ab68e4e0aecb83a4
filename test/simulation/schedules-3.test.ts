import { testSchedules } from "./standing.ts";

testSchedules(10001, 5_000);
