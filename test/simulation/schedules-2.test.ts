import { testSchedules } from "./standing.ts";

testSchedules(5001, 5_000);
