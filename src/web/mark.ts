import { html } from 'hono/html';

/**
 * The mark of the software: a component with a place into which a shape of data fits. `src/explorer/mark.svg` is the same
 * as a file, for the tabs of browsers.
 */
export function markSymbol(): ReturnType<typeof html> {
  return html`<svg class="mark" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true" focusable="false">
<path d="M9 3h7A8.5 8.5 0 0 0 29 14v9a6 6 0 0 1-6 6H9a6 6 0 0 1-6-6V9a6 6 0 0 1 6-6z"/><circle cx="22.5" cy="8.5" r="5.5"/></svg>`;
}
