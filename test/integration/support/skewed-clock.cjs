/* Loaded before a program: its clock is off by SKEW_MS, as on a machine whose clock was never set. */
"use strict";

const skewMs = Number(process.env.SKEW_MS);
const TrueDate = Date;

globalThis.Date = class Date extends TrueDate {
  constructor(...args) {
    super(...(args.length === 0 ? [TrueDate.now() + skewMs] : args));
  }

  static now() {
    return TrueDate.now() + skewMs;
  }
};
