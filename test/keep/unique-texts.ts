/** Draws texts of which no two are the same in this process. */
export function uniqueTexts(): () => string {
  const start = process.hrtime.bigint();
  let drawn = 0;
  return () => `${start}-${drawn++}`;
}
