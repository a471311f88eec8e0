/** A commit whose program wrote data in a way of its own. */
export interface EarlierVersion {
  /** What its `package.json` says, and what sets it apart. */
  readonly name: string;
  readonly commit: string;
  /** The layout of its data directory: `SCHEMA_VERSION` of the disk engine. */
  readonly disk: number;
  /** That of its tables, `MIGRATIONS` of the engine postgres, where it has that engine. */
  readonly postgres?: number;
  /** Has it the command `export`? */
  readonly exports?: boolean;
}

/**
 * The last program of each layout, or the first one where the last is no different. There are no tags: version 0.1.0 is the last
 * commit before `package.json` said 0.2.0. Whoever changes a layout adds the last commit with the one before.
 */
export const EARLIER: readonly EarlierVersion[] = [
  { name: '0.1.0 as first described', commit: 'd13fdf26c71d23c9a70afbfe2eaad377aedf5e5a', disk: 2 },
  { name: '0.1.0 with checksums', commit: '5a7871bc1d9e781c186db5e0e1ef6ce3695f5b75', disk: 3 },
  { name: '0.1.0 with the first feed', commit: '5392e46b151e98a7ad641443a5e959f247a55c16', disk: 4 },
  {
    name: '0.1.0 with the first tables of PostgreSQL',
    commit: '7368a81331884c6c3305dec63d1fd657743b4e93',
    disk: 4,
    postgres: 1,
    exports: true,
  },
  {
    name: '0.1.0 with pins in PostgreSQL',
    commit: 'a7876c2f46a94db4b61451a1a670aeaaabe58b68',
    disk: 4,
    postgres: 2,
    exports: true,
  },
  {
    name: '0.1.0 with marks in PostgreSQL',
    commit: '118a8d82bce123facf02899a35f76845df5eaeba',
    disk: 4,
    postgres: 3,
    exports: true,
  },
  {
    name: '0.1.0, the last',
    commit: 'e2825a51670c1aa44ad177b2c88f87e5fcd9a122',
    disk: 4,
    postgres: 4,
    exports: true,
  },
  {
    name: '0.2.0 with pins of one statement',
    commit: '84ea0ff31201fe78a994fbfe8064134e3a2cf5a0',
    disk: 5,
    postgres: 4,
    exports: true,
  },
  {
    name: '0.2.0 with trust first',
    commit: '513181c80453419f54712af1269abcdd60788634',
    disk: 5,
    postgres: 5,
    exports: true,
  },
  {
    name: '0.2.0 with counts of documents',
    commit: '8f9e6c130a7ef8413b955ba8003a5f91c45e8740',
    disk: 5,
    postgres: 6,
    exports: true,
  },
  {
    name: '0.2.0 before snapshots',
    commit: '04d03738f7e780fb50eb65d784b70c1904c2a0b5',
    disk: 5,
    postgres: 7,
    exports: true,
  },
  {
    name: '0.2.0 on 23 November 2026',
    commit: '288411bbe5c3878c4ce490eca4e1a9a9ffcee4fd',
    disk: 6,
    postgres: 7,
    exports: true,
  },
];

/** What reads the data of versions that this one refuses, and brings it to a layout that this one opens. */
export const LAST_0_1_0 = 'e2825a51670c1aa44ad177b2c88f87e5fcd9a122';
