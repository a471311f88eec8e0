/** The files of one npm package, wherever it is. */
export interface PackageFiles {
  /** What people call the place, for messages. */
  readonly place: string;
  /** Where its files are on the web, with a slash at the end; undefined for a folder. */
  readonly url: string | undefined;
  /** The text of a file, by its path from the package's folder; undefined when there is none. */
  read(path: string): Promise<string | undefined>;
}
