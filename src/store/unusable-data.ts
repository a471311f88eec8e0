/** Data that cannot be used, in a sentence for the operator that says what to do. */
export class UnusableData extends Error {
  override readonly name: string = 'UnusableData';
}
