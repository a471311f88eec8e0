import { html } from 'hono/html';
import type { Markup } from './page.js';

/** A link for http and https URLs, else plain text: other schemes (`javascript:`) in metadata must not become links. */
export function address(text: string): Markup {
  return /^https?:\/\//i.test(text) ? html`<a href="${text}" rel="noreferrer">${text}</a>` : html`${text}`;
}

/** A time in UTC; the script of the page replaces it by how long ago it was. */
export function time(ms: number | undefined): Markup {
  if (ms === undefined) return html`–`;
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.replace('T', ' ').slice(0, 19)} UTC</time>`;
}
