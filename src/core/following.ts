/** How it is learned what has changed at a peer. Times are ms since the epoch. */
export type Following =
  | {
      /** From its change feed. */
      readonly by: 'feed';
      readonly since: number;
    }
  | {
      /** By reading all that it lists. */
      readonly by: 'listing';
      readonly since: number;
      /** Why not from its feed. */
      readonly why: string;
      /** When it was last looked whether there is a feed. */
      readonly looked: number;
      /** Components that this node must have room for before it is worth looking again. */
      readonly needs?: number;
    };
