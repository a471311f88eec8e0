/** A custom element of a package, as its authors or its code tell of it. */
export interface FoundElement {
  readonly name: string;
  readonly description?: string | undefined;
  /** Names of attributes; properties that have none are named as they are. */
  readonly attributes: readonly string[];
  readonly events: readonly string[];
  readonly methods: readonly string[];
}
