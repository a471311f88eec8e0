/**
 * Counts the ms for which this process has a processor from now on, as often as it is asked: time that grows with the work
 * alone, and not with what else the machine does.
 *
 *     const busyMs = processorTime();
 *     read(longRubbish);
 *     expect(busyMs()).toBeLessThan(1_000);
 */
export function processorTime(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}
