import { counted } from '../lib/counted.js';

export interface Banner {
  readonly version: string;
  readonly url: string;
  readonly components: number;
  readonly write: string;
}

/** The line that a node prints on a terminal once it answers. */
export function startBanner({ version, url, components, write }: Banner): string {
  const held = components === 0 ? 'no components yet' : counted(components, 'component');
  return `Component registry node ${version} on ${url}  (${held}; write: ${write}; Ctrl-C stops it)`;
}
