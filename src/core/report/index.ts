export { type Answered, type Bill, billOf, reportOf, statusOf, WARNINGS_MAX } from "./report.ts";
