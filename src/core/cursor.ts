/** Names a state of a registry for its readers (design, section 11): what the whole list said then. */
export interface Cursor {
  /** `Revision.epoch`. */
  readonly epoch: string;
  /** `Feed.position`. */
  readonly position: number;
  /** The first 8 hexadecimal digits of `Feed.digest`. */
  readonly digest: string;
}

export const DIGEST_DIGITS = 8;

const FORM = /^([0-9a-z]{1,16})\.(0|[1-9]\d{0,14})\.([0-9a-f]{8})$/;

/** A `State`, as far as it makes a cursor. */
export interface NamedState {
  readonly revision: { readonly epoch: string };
  readonly feed: { readonly position: number; readonly digest: string };
}

export function cursorOf({ revision, feed }: NamedState): Cursor {
  return { epoch: revision.epoch, position: feed.position, digest: feed.digest.slice(0, DIGEST_DIGITS) };
}

/** `<epoch>.<position>.<digest8>` */
export function cursorText({ epoch, position, digest }: Cursor): string {
  return `${epoch}.${position}.${digest}`;
}

/** Reads back what `cursorText` wrote; `undefined` for any other text. */
export function parseCursor(text: string): Cursor | undefined {
  const [, epoch, position, digest] = FORM.exec(text) ?? [];
  if (epoch === undefined || position === undefined || digest === undefined) return undefined;
  return { epoch, position: Number(position), digest };
}
