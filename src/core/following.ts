/** How it is learned what has changed at a peer. Times are ms since the epoch. */
export type Following =
  | {
      /** From its change feed. */
      readonly by: 'feed';
      readonly since: number;
      /** How often something of it was read again, because it was not what the peer has. */
      readonly repairs?: number;
      readonly lastRepair?: { readonly at: number; readonly why: string };
      /** How many of the peer's sources are compared with no digest, because not all that they say is accepted. */
      readonly unverified?: number;
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
