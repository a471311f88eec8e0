/** What readers are told of a module's bytes under one version. */
export interface Pin {
  /** The bytes that are promised, else those that were there first: integrity metadata, mostly `sha384-<base64>`. */
  readonly integrity: string;
  /** What is there instead now, under the same version, or what is promised instead. */
  readonly changed?: string | undefined;
  /** What the module imports, and what that imports in turn; absent where there is nothing. */
  readonly files?: readonly ModuleFile[] | undefined;
  /** What it imports that cannot be pinned, as it writes it; absent where there is nothing. */
  readonly unpinned?: readonly string[] | undefined;
}

export interface ModuleFile {
  /** Absolute URL, in ASCII. */
  readonly uri: string;
  /** Of its bytes, as they were first: `sha384-<base64>`. */
  readonly integrity: string;
  /** What is there instead now. */
  readonly changed?: string | undefined;
}

/** What a pin belongs to. */
export interface PinSubject {
  readonly uri: string;
  /** Components may have none. */
  readonly version?: string | undefined;
}

/** A text for each subject, in the order of uris; uris have no spaces. */
export function pinKey({ uri, version = '' }: PinSubject): string {
  return `${uri} ${version}`;
}

/** Is the module, or a file that it imports, another one now? */
export function isChanged(pin: Pin | undefined): boolean {
  return pin?.changed !== undefined || (pin?.files?.some(({ changed }) => changed !== undefined) ?? false);
}

export function samePin(one: Pin | undefined, other: Pin | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
