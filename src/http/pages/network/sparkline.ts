import { html } from 'hono/html';
import type { PollPoint } from '../../../explain/activity.js';
import { counted } from '../../../lib/counted.js';
import type { Markup } from '../../../web/page.js';

/** Polls that have room, and units that each takes. */
const ROOM = { polls: 50, width: 2.5, height: 20, below: 6 } as const;
/** A poll of this duration is drawn as high as there is room, in ms: the height grows with the logarithm. */
const LONGEST_MS = 60_000;

/**
 * The last polls of a source, the newest last: one bar each, the higher the longer it took. Polls that brought
 * something are strong, those that failed hang below the line.
 */
export function sparkline(polls: readonly PollPoint[]): Markup {
  if (polls.length === 0) return html``;
  const failed = polls.filter(({ outcome }) => outcome === 'failed').length;
  const words = `The last ${counted(polls.length, 'poll')}: ${failed === 0 ? 'none failed' : `${failed} failed`}`;
  const { polls: most, width, height, below } = ROOM;
  const bars = (wanted: PollPoint['outcome']) =>
    polls.map((poll, i) => (poll.outcome === wanted ? bar(poll, i) : '')).join('');
  return html`<svg class="sparkline" viewBox="0 0 ${most * width} ${height + below}" role="img" aria-label="${words}">
<title>${words}</title><path class="line" d="M0 ${height + 0.5}h${most * width}"/><path class="unchanged" d="${bars('unchanged')}"/><path class="changed" d="${bars('changed')}"/><path class="failed" d="${bars('failed')}"/></svg>`;
}

function bar({ durationMs, outcome }: PollPoint, index: number): string {
  const { width, height, below } = ROOM;
  const x = (index + 0.5) * width;
  if (outcome === 'failed') return `M${x} ${height + 1}v${below - 1}`;
  const part = Math.log(1 + Math.max(durationMs, 0)) / Math.log(1 + LONGEST_MS);
  return `M${x} ${height}v-${Math.max(2, Math.round(Math.min(part, 1) * height))}`;
}
