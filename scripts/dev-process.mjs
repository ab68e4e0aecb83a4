/**
 * The process of the server of `npm run dev`. It loads its code at once and starts when it receives its arguments: until
 * then the server before it may still hold the port and the database.
 */
const { runProcess } = await import("../dist/.dev/main.js");
await import("../dist/.dev/up.js");

let isStarted = false;
process.once("message", (argv) => {
  isStarted = true;
  process.channel.unref();
  void runProcess(["up", "--json", ...argv]);
});
// `npm run dev` was killed: nothing would ever stop this process.
process.once("disconnect", () => (isStarted ? process.kill(process.pid, "SIGTERM") : process.exit(0)));
