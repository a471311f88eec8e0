/** A number with its noun: `1 component`, `2 components`. This code also runs in browsers. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
