import { counted } from '../lib/counted.js';

export interface Banner {
  readonly version: string;
  readonly url: string;
  readonly components: number;
  readonly write: string;
  /** Was it started to list samples? */
  readonly demo: boolean;
}

/** The line that a node prints on a terminal once it answers. */
export function startBanner({ version, url, components, write, demo }: Banner): string {
  const size =
    components === 0
      ? 'no components yet'
      : counted(components, 'component') + (demo ? ', with samples' : '');
  return `Component registry node ${version} on ${url}  (${size}; write: ${write}; Ctrl-C stops it)`;
}
