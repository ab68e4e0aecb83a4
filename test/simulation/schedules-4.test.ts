import { testSchedules } from "./standing.ts";

testSchedules(15001, 5_000);
