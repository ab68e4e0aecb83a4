import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSystemClock } from "./clock.ts";

describe("system clock", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("fires at its time, also beyond what one timeout can hold", () => {
    const clock = createSystemClock();
    const startedAt = clock.now();
    let firedAt = 0;
    const delay = 30 * 24 * 3_600_000;
    clock.after(delay, () => {
      firedAt = clock.now();
    });
    vi.advanceTimersByTime(delay - 1);
    expect(firedAt).toBe(0);
    vi.advanceTimersByTime(1);
    expect(firedAt - startedAt).toBe(delay);
  });

  it.each([0, 5, 200_000])("does not fire after it was stopped (%i ms)", (delay) => {
    const fire = vi.fn<() => void>();
    createSystemClock().after(delay, fire)();
    vi.advanceTimersByTime(delay + 1_000);
    expect(fire).not.toHaveBeenCalled();
  });

  it("is not moved by a machine whose time is set", () => {
    const clock = createSystemClock();
    const fire = vi.fn<() => void>();
    clock.after(10, fire);
    vi.setSystemTime(clock.now() - 3_600_000);
    vi.advanceTimersByTime(9);
    expect(fire).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(fire).toHaveBeenCalledOnce();
  });
});
