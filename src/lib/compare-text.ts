/** Orders texts by UTF-16 code units: the same on every node and in every locale, unlike `localeCompare`. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
