/** A number with its noun: `1 component`, `2 components`. This code also runs in browsers. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`;
}
